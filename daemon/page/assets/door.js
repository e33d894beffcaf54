// Questions to the daemon. The token is kept for this tab alone, and never stands in an address.

const KEY = "glimpse-token";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function keepToken(token) {
  sessionStorage.setItem(KEY, token);
}

async function request(path, how) {
  const token = sessionStorage.getItem(KEY);
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch(path, { headers, cache: "no-store", credentials: "omit", ...how });
  const body = await answer.json();
  if (!answer.ok) throw new Refused(answer.status, body.error?.message ?? `status ${answer.status}`);
  return body;
}

export function ask(path) {
  return request(path, {});
}

export function send(path, body) {
  return request(path, { method: "POST", body: JSON.stringify(body) });
}

export function remove(path) {
  return request(path, { method: "DELETE" });
}
