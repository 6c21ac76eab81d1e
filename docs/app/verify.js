// The page of the verifier, one file that needs no other: scripts/make/verifier.py puts it together. Texts of the files
// that are verified reach the page as textContent only.
import {verified} from "./verified.js";

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

function verify(chosen) {
  if (!chosen.length || worker) return;
  const files = Object.fromEntries([...chosen].map((file) => [file.name.replace(/^-/, "_"), file]));
  const names = Object.keys(files);
  $("result").hidden = true;
  if ([...chosen].some((file) => file.size > limit)) {
    return show("doubt", `${names.join(", ")}: too large for this page.`, "It takes up to 500 MB. Install the program.");
  }
  $("file").disabled = true;
  $("cancel").hidden = false;
  $("status").textContent = "Verifying. This can take a minute.";
  worker = new Worker(source);
  worker.onmessage = ({data: {done, failed}}) => {
    end("Done.");
    if (done) show(...verified(names, done), done.stdout + done.stderr);
    else show("doubt", "The program ended early.", "This says nothing about the file. It said:", failed);
  };
  worker.onerror = (event) => {
    end("");
    show("doubt", "The program ended early.", "This says nothing about the file. It said:", event.message ?? "");
  };
  worker.postMessage({program: $("program").textContent, files, list: $("list").checked});
}

$("cancel").onclick = () => end("Cancelled.");
$("file").onchange = () => verify($("file").files);
$("drop").onsubmit = (event) => event.preventDefault();
for (const kind of ["dragover", "dragleave", "drop"]) {
  addEventListener(kind, (event) => {
    event.preventDefault();
    $("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop") verify(event.dataTransfer.files);
  });
}
$("not-started").hidden = true;
$("file").disabled = false;
