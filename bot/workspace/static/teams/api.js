// Talks to the stand-in for Teams: one call per thing a person does, and the live feed.

const token = document.querySelector('meta[name="page-token"]').content;
const headers = { "X-Page-Token": token };

export async function ask(action, args) {
  const response = await fetch(`/teams/${action}`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(args),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error || `http_${response.status}`);
  return answer;
}

// Through fetch, because EventSource cannot carry the page's token.
export async function follow(onNews) {
  let pause = 500;
  for (;;) {
    try {
      const response = await fetch("/teams/feed", { headers });
      if (response.status === 403) return;
      const reader = response.body.getReader();
      pause = 500;
      onNews();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        if (new TextDecoder().decode(value).includes("data: ")) onNews();
      }
    } catch {
      // The workspace is gone for a moment, or for good: asked again below.
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, 8_000);
  }
}
