// Talks to the mailbox page's API: one look per thing to show, downloads, the live feed.

const token = document.querySelector('meta[name="page-token"]').content;
const headers = { "X-Page-Token": token };
const who = { person: "", box: "" };

export function lookAs(person, box) {
  who.person = person;
  who.box = box;
}

export async function look(what, args = {}) {
  const response = await fetch(`/outlook/look/${what}`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ ...who, ...args }),
  });
  if (!response.ok) throw new Error(`http_${response.status}`);
  return response.json();
}

export async function download(path, args, name) {
  const response = await fetch(`/outlook/${path}?${new URLSearchParams({ ...who, ...args })}`, { headers });
  if (!response.ok) throw new Error(`http_${response.status}`);
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Server-sent events through fetch, because EventSource cannot carry the page's token.
export async function follow(onNews, onState) {
  let pause = 500;
  for (;;) {
    try {
      const response = await fetch("/outlook/feed", { headers });
      if (response.status === 403) return onState("stale");
      if (!response.ok) throw new Error("feed");
      onState("live");
      pause = 500;
      await readEvents(response.body.getReader(), onNews);
    } catch {
      // The next line says that the connection is lost.
    }
    onState("lost");
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, 8_000);
  }
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
