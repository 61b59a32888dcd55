// Slack timestamps in words.

export function dateOf(ts) {
  return new Date(Number.parseFloat(ts) * 1000);
}

export function clock(ts) {
  return dateOf(ts).toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
}

// Without its half of the day, for where there is little room.
export function hour(ts) {
  return clock(ts).replace(/\s*[AP]M$/i, "");
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

const FORMS = {
  date: { year: "numeric", month: "long", day: "numeric" },
  date_num: { year: "numeric", month: "2-digit", day: "2-digit" },
  date_short: { year: "numeric", month: "short", day: "numeric" },
  date_long: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  time: { hour: "numeric", minute: "2-digit" },
  time_secs: { hour: "numeric", minute: "2-digit", second: "2-digit" },
};

// A moment as Slack's `<!date^…>` asks for it; `pretty` says today and tomorrow where it can.
export function dated(ts, format) {
  return format.replace(/\{(\w+?)(_pretty)?\}/g, (whole, name, pretty) => {
    if (name === "ago") return ago(ts);
    const near = pretty && nearDay(dateOf(ts));
    if (near || !FORMS[name]) return near || whole;
    return dateOf(ts).toLocaleString([], FORMS[name]);
  });
}

function nearDay(date) {
  const days = Math.round((midnight(date) - midnight(new Date())) / 86_400_000);
  return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[days];
}

export function ago(ts) {
  const seconds = Math.max(0, Date.now() / 1000 - Number.parseFloat(ts));
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return dayOf(ts);
}
