// verified says in plain words how a verification ended: [kind, title, what the text below is].
export function verified(name, {code, stdout}) {
  if (code === 0 && stdout.includes("\nNo findings, so nothing to verify.")) {
    return ["doubt", `${name} proves nothing.`, "It is unchanged, and has no findings. The program said:"];
  }
  if (code === 0) {
    return ["good", `${name} is verified.`, "No record in it was changed, and each finding came out the same again. " +
      "What is proven so, and what is only claimed:"];
  }
  if (stdout) return ["bad", `${name} does not prove all that it says.`, "The program said:"];
  return ["bad", `${name} is not verified.`, "It proves nothing as it is. The program said:"];
}
