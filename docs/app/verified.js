// verified says in plain words how a verification of some files ended: [kind, title, what the text below is].
export function verified(names, {code, stdout, stderr}) {
  const lines = `${stdout}\n${stderr}`.split("\n");
  // said lists the files of which a line says something, and what. No other line begins with the name of a file.
  const said = (before, pattern) => names.flatMap((name) => lines.filter((line) => line.startsWith(before + name))
    .map((line) => [name, line.slice(before.length + name.length).match(pattern)?.[1]]).filter(([, text]) => text));
  const of = (list) => list.map(([name]) => name).join(", ");
  const reports = said("", /^( shows [\d,]+ findings? by name\. Proven here: [\d,]+\.)$/).map((parts) => ` ${parts.join("")}`).join("");

  const changed = said("robotsaudit: ", /^ is (refused): (?!it ends before )/);
  if (changed.length) return ["bad", `${of(changed)} is refused.`, "It was changed, and proves nothing as it is. The program said:"];
  const partly = said("", /^: [\d,]+ of ([\d,]+ findings? in this file (is|are) proven)/);
  if (partly.length) {
    return ["bad", `${of(partly)} does not prove all that it says.`, "What follows “Not proven” did not come out the same " +
      `again from the records in it.${reports} The program said:`];
  }
  const cut = said("robotsaudit: ", /^ is (refused): /);
  if (cut.length) {
    return ["doubt", `${of(cut)} is not whole.`, "It ends too early, and proves nothing as it is: get it again. The program said:"];
  }
  const foreign = said("robotsaudit: ", /^ is (no bundle) of /);
  if (foreign.length) {
    return ["doubt", `${of(foreign)} is no bundle of evidence.`, "It can be sound, and still proves nothing here. The program said:"];
  }
  const alone = said("robotsaudit: ", /^ is (a report), and carries no proof/);
  if (alone.length) {
    return ["doubt", `${of(alone)} carries no proof; drop the bundle with it.`, "A report alone can say anything. The program said:"];
  }
  const empty = said("", /^: (No findings), so nothing to verify\./);
  if (empty.length) {
    return ["doubt", `${of(empty)} proves nothing.`, `It is unchanged, and has no findings.${reports} The program said:`];
  }
  const proven = said("", /^: ([\d,]+ findings? in this file (is|are) proven)/);
  if (code !== 0 || !proven.length) return ["doubt", "The program ended early.", "This says nothing about the file. It said:"];
  return ["good", proven.map(([name, text]) => (proven.length > 1 ? `${name}: ${text}.` : `${text}.`)).join(" "),
    "No record in it was changed, and each finding came out the same again. Nothing says who made the records, or that " +
    `nothing was left out.${reports}`];
}
