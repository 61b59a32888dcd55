// What the page knows: the overview, the open conversation, the open thread.

const REMEMBERED = "countersign-workspace";

export const state = {
  me: "",
  team: { name: "" },
  app: { id: "", name: "", commands: [], has_home: false, can_stop: false },
  people: new Map(),
  channels: [],
  hints: [],
  channel: "",
  tab: "messages",
  conversation: null,
  thread: null,
  connection: "live",
  drafts: new Map(),
  asked: new Set(), // messages of this visit that wait for their first sign of life
};

export function take(overview) {
  Object.assign(state, {
    me: overview.me,
    team: overview.team,
    app: overview.app,
    channels: overview.channels,
    hints: overview.hints,
    people: new Map(overview.people.map((person) => [person.id, person])),
  });
}

export function memberOf(id) {
  return state.people.get(id) || { id, name: id, real_name: id };
}

export function channelOf(id) {
  return state.channels.find((channel) => channel.id === id);
}

export function nameOf(channel) {
  return channel.kind === "im" ? memberOf(channel.other).real_name : channel.name;
}

export function isWithApp(channel) {
  return channel?.kind === "im" && channel.other === state.app.id;
}

export function remember() {
  try {
    sessionStorage.setItem(REMEMBERED, JSON.stringify({ me: state.me, channel: state.channel }));
  } catch {
    // A browser without storage only forgets who you were.
  }
}

export function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(REMEMBERED)) || {};
  } catch {
    return {};
  }
}
