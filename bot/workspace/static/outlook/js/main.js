// Starts the page and keeps it in step with the stand-in.

import { announce } from "/static/js/dom.js";
import { follow, look, lookAs } from "./api.js";
import { showCalendar } from "./calendar.js";
import { showChats } from "./chats.js";
import { showFiles } from "./files.js";
import { showFrame } from "./frame.js";
import { showMail } from "./mail.js";
import { personNamed, recall, remember, state } from "./state.js";

const SHOW = { mail: showMail, calendar: showCalendar, files: showFiles, chats: showChats };
const view = document.getElementById("view");
let running = null;
let isStale = false;

const moves = {
  go: (change) => {
    Object.assign(state, change);
    history.replaceState(null, "", "/outlook");
    return refresh();
  },
  become: (person) => moves.go({ me: person, box: person, folder: "inbox", mail: "", event: "", at: "", file: "", chat: "" }),
};

// Looks again until nothing has changed meanwhile; what is shown is always the newest.
function refresh() {
  isStale = true;
  running ??= draw().finally(() => { running = null; });
  return running;
}

async function draw() {
  while (isStale) {
    isStale = false;
    lookAs(state.me, state.box);
    try {
      state.frame = await look("overview");
      await redrawn(() => SHOW[state.view](view, moves));
      showFrame(moves);
      remember();
    } catch (error) {
      if (!state.frame) throw error;
    }
  }
}

// The focus goes back to the same thing after the view was drawn anew.
async function redrawn(show) {
  const label = view.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  await show();
  if (label) view.querySelector(`button[aria-label="${CSS.escape(label)}"]`)?.focus({ preventScroll: true });
}

function heard(news) {
  const before = state.frame?.folders.find((folder) => folder.name === "inbox").unread;
  if (news.kind === "read" && state.view !== "mail") return;
  refresh().then(() => {
    const now = state.frame.folders.find((folder) => folder.name === "inbox").unread;
    if (now > before) announce("New mail has arrived.");
  });
}

function connected(now) {
  if (state.connection === now) return;
  const isBack = state.connection === "lost" && now === "live";
  state.connection = now;
  if (state.frame) showFrame(moves);
  if (isBack) refresh();
}

// An address such as /outlook#mail/<id> leads to that item, in the mailbox where it lies.
async function linked() {
  const [kind, item] = location.hash.slice(1).split("?")[0].split("/");
  if (!item) return;
  if (kind === "chats") {
    Object.assign(state, { view: "chats", chat: decodeURIComponent(item) });
    return;
  }
  lookAs(state.me, state.box);
  const found = await look("locate", { item: decodeURIComponent(item) }).catch(() => null);
  if (!found) return;
  const isMine = state.frame.boxes.some((box) => box.name === found.box);
  Object.assign(state, found, { me: isMine ? state.me : found.me });
}

async function start() {
  recall();
  const wanted = new URLSearchParams(location.search).get("as");
  if (wanted) Object.assign(state, { me: wanted, box: wanted, mail: "" });
  lookAs(state.me, state.box);
  state.frame = await look("overview").catch(() => null);
  if (!state.frame) {
    Object.assign(state, { me: "mara", box: "mara" });
    lookAs(state.me, state.box);
    state.frame = await look("overview");
  }
  if (!personNamed(state.box)) state.box = state.me;
  await linked();
  await refresh();
  addEventListener("hashchange", () => linked().then(refresh));
  follow(heard, connected);
}

start();
