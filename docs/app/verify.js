// The page of the verifier, one file that needs no other: scripts/make/verifier.py puts it together. Texts of the file
// that is verified reach the page as textContent only.
const limit = 500e6; // bytes
const $ = (id) => document.getElementById(id);
const source = URL.createObjectURL(new Blob([$("worker").textContent], {type: "text/javascript"}));
let worker;

function show(kind, title, text, details = "") {
  $("message").className = `message ${kind}`;
  const strong = document.createElement("strong");
  strong.textContent = title;
  const first = document.createElement("p");
  first.append(strong);
  const second = document.createElement("p");
  second.textContent = text;
  $("message").replaceChildren(first, second);
  $("details").textContent = details;
  $("details").hidden = !details;
  $("result").hidden = false;
  $("result").focus();
}

function end(status) {
  worker?.terminate();
  worker = undefined;
  $("file").disabled = false;
  $("cancel").hidden = true;
  $("status").textContent = status;
}

function answer(name, {code, stdout, stderr}) {
  const text = stdout + stderr;
  if (code === 0 && stdout.includes("\nNo findings, so nothing to verify.")) {
    return show("doubt", `${name} proves nothing.`, "It is unchanged, and has no findings. The program said:", text);
  }
  if (code === 0) {
    return show("good", `${name} is verified.`, "No record in it was changed, and each finding came out the same " +
      "again. What is proven so, and what is only claimed:", text);
  }
  if (stdout) return show("bad", `${name} does not prove all that it says.`, "The program said:", text);
  show("bad", `${name} is not verified.`, "It proves nothing as it is. The program said:", text);
}

function verify(file) {
  if (!file || worker) return;
  $("result").hidden = true;
  if (file.size > limit) {
    return show("bad", `${file.name} is too large for this page.`, "It takes up to 500 MB. Install the program.");
  }
  $("file").disabled = true;
  $("cancel").hidden = false;
  $("status").textContent = "Verifying. This can take a minute.";
  worker = new Worker(source);
  worker.onmessage = ({data: {done, failed}}) => {
    end("Done.");
    if (done) answer(file.name, done);
    else show("bad", "The verification ended early.", "This says nothing about the file.", failed);
  };
  worker.onerror = (event) => {
    end("");
    show("bad", "The verification ended early.", "This says nothing about the file.", event.message ?? "");
  };
  worker.postMessage({program: $("program").textContent, file, name: file.name, list: $("list").checked});
}

$("cancel").onclick = () => end("Cancelled.");
$("file").onchange = () => verify($("file").files[0]);
$("drop").onsubmit = (event) => event.preventDefault();
for (const kind of ["dragover", "dragleave", "drop"]) {
  addEventListener(kind, (event) => {
    event.preventDefault();
    $("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop") verify(event.dataTransfer.files[0]);
  });
}
$("not-started").hidden = true;
$("file").disabled = false;
