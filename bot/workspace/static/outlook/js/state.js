// What the page shows at the moment; the place is kept for the next visit.

const KEY = "outlook-place";

export const state = {
  me: "mara",
  box: "mara",
  view: "mail",
  folder: "inbox",
  mail: "",
  week: 0,
  event: "",
  at: "",
  file: "",
  chat: "",
  connection: "live",
  frame: null,
};

export function remember() {
  const { me, box, view, folder } = state;
  sessionStorage.setItem(KEY, JSON.stringify({ me, box, view, folder }));
}

export function recall() {
  try {
    Object.assign(state, JSON.parse(sessionStorage.getItem(KEY) || "{}"));
  } catch {
    sessionStorage.removeItem(KEY);
  }
}

export function personNamed(name) {
  return [...state.frame.people, ...state.frame.boxes].find((person) => person.name === name);
}
