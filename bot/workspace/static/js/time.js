// Slack timestamps in words.

export function dateOf(ts) {
  return new Date(Number.parseFloat(ts) * 1000);
}

export function clock(ts) {
  return dateOf(ts).toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
}

export function exact(ts) {
  return dateOf(ts).toLocaleString([], { dateStyle: "full", timeStyle: "medium" });
}

export function dayOf(ts) {
  const date = dateOf(ts);
  const days = Math.round((midnight(new Date()) - midnight(date)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return date.toLocaleDateString([], { weekday: "long", month: "long", day: "numeric" });
}

function midnight(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

export function ago(ts) {
  const seconds = Math.max(0, Date.now() / 1000 - Number.parseFloat(ts));
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return dayOf(ts);
}
