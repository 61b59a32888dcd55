// Talks to the stand-in: one call per thing a person does, and the live feed.

const token = document.querySelector('meta[name="page-token"]').content;
const headers = { "X-Page-Token": token };

let person = "";

export class Trouble extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

export function speakAs(id) {
  person = id;
}

async function answerOf(response) {
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Trouble(answer.error || `http_${response.status}`);
  return answer;
}

export async function ask(action, args = {}) {
  const response = await fetch(`/page/${action}`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ person, ...args }),
  });
  return answerOf(response);
}

export async function upload(file) {
  const query = new URLSearchParams({ person, name: file.name });
  const response = await fetch(`/page/upload?${query}`, { method: "POST", headers, body: file });
  return answerOf(response);
}

export async function download(id, name) {
  const query = new URLSearchParams({ person, file: id });
  const response = await fetch(`/page/file?${query}`, { headers });
  if (!response.ok) throw new Trouble("file_not_found");
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Reads server-sent events through fetch, because EventSource cannot carry the page's token.
export async function follow(signal, onNews, onState) {
  let pause = 500;
  while (!signal.aborted) {
    try {
      const query = new URLSearchParams({ person });
      const response = await fetch(`/page/feed?${query}`, { headers, signal });
      if (response.status === 403) return onState("stale");
      if (!response.ok) throw new Trouble("feed");
      onState("live");
      pause = 500;
      await readEvents(response.body.getReader(), onNews);
    } catch (error) {
      if (signal.aborted) return undefined;
    }
    onState("lost");
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, 8_000);
  }
  return undefined;
}

async function readEvents(reader, onNews) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      if (event.startsWith("data: ")) onNews(JSON.parse(event.slice(6)));
    }
  }
}
