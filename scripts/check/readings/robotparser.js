// Answers as robotparser.py does, by a newer Python.
const fs = require("fs");
const { loadPyodide } = require("pyodide");

const asked = fs.readFileSync(0, "latin1");
loadPyodide().then((python) => {
  python.runPython(fs.readFileSync(__dirname + "/robotparser.py", "utf8"));
  console.log(python.globals.get("answers")(asked));
});
