/* Passkeys. A form with data-passkey="create" or "get" and a hidden input "credential" asks the browser for one
   before it is sent. The options are JSON in #passkey-options, or fetched from the form's address. */
import { toast } from "./notify.js";

function toBytes(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

function toText(buffer) {
  if (!buffer) return undefined;
  const binary = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const withBytes = (list) => list?.map((entry) => ({ ...entry, id: toBytes(entry.id) }));

async function optionsOf(form) {
  const written = document.getElementById("passkey-options");
  if (written) return JSON.parse(written.textContent);
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`options: ${answer.status}`);
  return answer.json();
}

async function create({ creation_options: { publicKey } }) {
  return navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      user: { ...publicKey.user, id: toBytes(publicKey.user.id) },
      excludeCredentials: withBytes(publicKey.excludeCredentials),
      // It must work without a password: kept on the device, opened by finger, face or PIN.
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    },
  });
}

async function get({ request_options: { publicKey } }) {
  return navigator.credentials.get({
    publicKey: {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      allowCredentials: withBytes(publicKey.allowCredentials),
    },
  });
}

function describe(credential) {
  const { response } = credential;
  const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: Object.fromEntries(parts.map((name) => [name, toText(response[name])])),
  };
}

async function ask(form, button) {
  button?.setAttribute("aria-busy", "true");
  try {
    const credential = await (form.dataset.passkey === "create" ? create : get)(await optionsOf(form));
    form.elements.credential.value = JSON.stringify(describe(credential));
    form.submit();
  } catch {
    button?.removeAttribute("aria-busy");
    toast(form.dataset.failed, "error");
  }
}

for (const form of document.querySelectorAll("[data-passkey]")) {
  if (!window.PublicKeyCredential) continue;
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(form, event.submitter);
  });
}
