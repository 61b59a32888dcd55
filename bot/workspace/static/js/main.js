// Starts the page and keeps it in step with the stand-in.

import { ask, follow, speakAs, Trouble } from "./api.js";
import { markRead, showConversation } from "./conversation.js";
import { announce } from "./dom.js";
import { refreshHome } from "./home.js";
import { closeInside, isInside } from "./inside.js";
import { refreshModal } from "./modal.js";
import { showRail, showSidebar } from "./sidebar.js";
import { isWithApp, remember, remembered, state, take } from "./state.js";
import { isReplying, showThread } from "./thread.js";
import { showTopbar } from "./topbar.js";

const FIRST = "mara";
const AGAIN = 500; // milliseconds, where the workspace did not answer
const TRIES = 20;
const TIDY = 20_000; // a status clears itself after two minutes without any news
let listening = new AbortController();
const wanted = new Set();
let isLooking = false;
let heardOf = 0; // news so far

const moves = {
  openThread: (ts) => openThread(ts),
  setTab: (tab) => {
    state.tab = tab;
    showConversation(moves);
  },
  sent: (ts, text) => {
    if (!isWithApp(current()) && !text.includes(`@${state.app.name}`)) return;
    state.asked.add(ts);
    // Its first sign of life may have been told before.
    heard({ kind: "message", channel: state.channel });
  },
};

function current() {
  return state.channels.find((channel) => channel.id === state.channel);
}

async function become(person) {
  listening.abort();
  listening = new AbortController();
  speakAs(person);
  state.thread = null;
  closeInside();
  state.asked.clear();
  take(await ask("overview"));
  if (!current()) state.channel = firstChannel();
  await Promise.all([loadConversation(), refreshModal()]);
  drawFrame();
  showConversation(moves);
  showThread(closeThread);
  remember();
  markRead();
  follow(listening.signal, heard, connected);
}

function firstChannel() {
  const withApp = state.channels.filter((channel) => channel.members.includes(state.app.id));
  const liked = withApp.find((channel) => channel.name === "sales") || withApp[0] || state.channels[0];
  return liked?.id || "";
}

function drawFrame() {
  showTopbar(become);
  showRail();
  showSidebar(go);
  const unread = state.channels.filter((channel) => channel.unread && channel.id !== state.channel).length;
  document.title = `${unread ? `(${unread}) ` : ""}${state.team.name}, local workspace`;
}

async function go(channel) {
  state.channel = channel;
  state.tab = "messages";
  state.thread = null;
  closeInside();
  take(await ask("overview"));
  await loadConversation();
  drawFrame();
  showConversation(moves);
  showThread(closeThread);
  remember();
  markRead();
}

async function loadConversation() {
  const { channel } = state;
  if (!channel) return;
  const found = await ask("conversation", { channel });
  if (channel === state.channel) state.conversation = found;
}

async function openThread(ts) {
  closeInside();
  const before = heardOf;
  state.thread = await ask("thread", { channel: state.channel, ts });
  state.asked.delete(ts);
  showThread(closeThread);
  // What was told meanwhile may be of this thread, and missing from the answer.
  if (heardOf !== before) heard({ kind: "message", channel: state.channel });
}

function closeThread() {
  state.thread = null;
  showThread(closeThread);
}

// What happened before the feed began was told to nobody here.
function connected(now) {
  if (now === "live") heard({ kind: "message", channel: state.channel });
  if (state.connection === now) return;
  state.connection = now;
  showTopbar(become);
}

// News only says where to look; looking happens once for all news of a moment.
function heard(news) {
  heardOf += 1;
  if (news.kind === "modal") wanted.add("modal");
  else if (news.kind === "home") wanted.add("home");
  else {
    wanted.add("overview");
    if (news.channel === state.channel) wanted.add("conversation");
    if (news.channel === state.thread?.channel) wanted.add("thread");
  }
  if (!isLooking) refresh();
}

async function refresh() {
  isLooking = true;
  let tries = TRIES;
  while (wanted.size && tries) {
    const now = new Set(wanted);
    wanted.clear();
    try {
      await lookAgain(now);
      tries = TRIES;
    } catch {
      // The feed notices when the workspace is gone, and says so at the top.
      tries -= 1;
      now.forEach((what) => wanted.add(what));
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }
  isLooking = false;
}

async function lookAgain(now) {
  if (now.has("modal")) await refreshModal();
  if (now.has("home")) await refreshHome();
  const thread = state.thread;
  if (now.has("thread") && thread) {
    const fresh = await ask("thread", { channel: thread.channel, ts: thread.ts }).catch(gone);
    if (state.thread === thread) state.thread = fresh;
    showThread(closeThread);
  }
  if (now.has("conversation")) {
    await loadConversation();
    showConversation(moves);
    await openAnswered();
  }
  if (now.has("overview")) {
    take(await ask("overview"));
    drawFrame();
    markRead();
  }
}

// A thread that the workspace does not show any more closes; other trouble passes.
function gone(error) {
  if (error instanceof Trouble && !error.code.startsWith("http_")) return null;
  throw error;
}

// The thread of a question of this visit opens by itself at its first sign of life, in place of
// another one unless somebody is writing there.
async function openAnswered() {
  for (const ts of [...state.asked]) {
    const message = state.conversation.messages.find((one) => one.ts === ts);
    if (!message) state.asked.delete(ts);
    else if (message.reply_count || state.conversation.statuses[ts]) {
      if (!isReplying()) {
        await openThread(ts);
        announce(`${state.app.name} is answering in the thread.`);
      }
      state.asked.delete(ts);
    }
  }
}

async function start() {
  const before = remembered();
  state.channel = before.channel || "";
  await become(before.me || FIRST).catch(() => become(FIRST));
  document.addEventListener("visibilitychange", markRead);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.("textarea, input");
    if (event.key !== "Escape" || document.querySelector(".veil, .menu") || isTyping) return;
    if (isInside()) closeInside();
    else if (state.thread) closeThread();
  });
  setInterval(() => {
    if (state.thread?.status || Object.keys(state.conversation?.statuses || {}).length) {
      heard({ kind: "status", channel: state.channel });
    }
  }, TIDY);
}

start();
