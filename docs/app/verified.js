// verified says in plain words how a verification of some files ended: [kind, title, what the text below is].
export function verified(names, {code, stdout, stderr}) {
  const name = names.join(", ");
  if (code === 0 && stdout.includes(": No findings, so nothing to verify.")) {
    return ["doubt", `${name} proves nothing.`, "It is unchanged, and has no findings. The program said:"];
  }
  if (code === 0) {
    const [proven] = stdout.match(/[\d,]+ findings? in this file (is|are) proven/) ?? ["All findings are proven"];
    return ["good", `${proven}.`, "No record in it was changed, and each finding came out the same again. Nothing says who " +
      "made the records, or that nothing was left out."];
  }
  if (code === 1 && stdout) return ["bad", `${name} does not prove all that it says.`, "The program said:"];
  if (/ is refused: (?!it ends before )/.test(stderr)) {
    return ["bad", `${name} is refused.`, "It was changed, and proves nothing as it is. The program said:"];
  }
  if (/ is refused: /.test(stderr)) {
    return ["doubt", `${name} is not whole.`, "It ends too early, and proves nothing as it is: get it again. The program said:"];
  }
  if (/ is a report, and carries no proof/.test(stderr)) {
    return ["doubt", `${name} carries no proof; drop the bundle with it.`, "A report alone can say anything. The program said:"];
  }
  if (/ is no bundle of /.test(stderr)) {
    return ["doubt", `${name} is no bundle of evidence.`, "It can be sound, and still proves nothing here. The program said:"];
  }
  return ["doubt", "The program ended early.", "This says nothing about the file. It said:"];
}
