/* Pages of documents: rows that morph while they are read, and uploads where the person may add. */
import "./morph.js";

if (document.getElementById("upload")) await import("./upload.js");
