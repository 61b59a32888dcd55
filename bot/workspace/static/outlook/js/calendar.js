// Calendar: one week with its events, and the event that is looked at.

import { button, el, replace } from "/static/js/dom.js";
import { look } from "./api.js";
import { avatar, bodyOf, external, icon } from "./parts.js";
import { personNamed, state } from "./state.js";

const HOUR = 52; // pixels
const FIRST = 7;
const LAST = 20;
const ANSWERS = {
  accepted: "Accepted", declined: "Declined", tentativelyAccepted: "Tentative", notResponded: "No answer yet",
  none: "No answer yet", organizer: "Organizer",
};

export async function showCalendar(view, moves) {
  const week = await look("week", { offset: state.week });
  const opened = week.events.find((event) => event.id === state.event);
  const before = view.querySelector(".grid-frame")?.scrollTop;
  replace(view, el("div", { class: opened ? "calendar has-event" : "calendar" },
    head(week, moves), grid(week, moves), opened ? panel(opened, moves) : null));
  view.querySelector(".grid-frame").scrollTop = before ?? HOUR;
}

function head(week, moves) {
  const [first, last] = [week.days[0], week.days[6]].map((day) => new Date(`${day}T12:00`));
  const title = `${first.toLocaleDateString([], { day: "numeric", month: "long" })} – ${last.toLocaleDateString([], { day: "numeric", month: "long", year: "numeric" })}`;
  return el("header", { class: "week-head" },
    button("This week", { class: "plain", onclick: () => moves.go({ week: 0 }) }, "Today"),
    button("Week before", { class: "step", onclick: () => moves.go({ week: state.week - 1 }) }, icon("back", 20)),
    button("Next week", { class: "step", onclick: () => moves.go({ week: state.week + 1 }) }, icon("forward", 20)),
    el("h1", {}, title),
    el("small", {}, `${personNamed(state.box).display_name} · ${week.zone}`));
}

function grid(week, moves) {
  const shown = week.days.map((_, index) => index)
    .filter((day) => day < 5 || week.events.some((event) => event.day === day));
  const [from, to] = hoursOf(week);
  const columns = { gridTemplateColumns: `54px repeat(${shown.length}, minmax(0, 1fr))` };
  const hours = Array.from({ length: to - from }, (_, index) => from + index);
  return el("div", { class: "grid-frame", tabindex: "0" },
    el("div", { class: "day-heads", style: columns }, el("span", {}), shown.map((day) => dayHead(week, day))),
    el("div", { class: "grid", style: columns },
      el("div", { class: "hours" }, hours.map((hour) => el("span", { style: { height: `${HOUR}px` } }, `${String(hour).padStart(2, "0")}:00`))),
      shown.map((day) => el("div", { class: day === week.today ? "day is-today" : "day", style: { height: `${hours.length * HOUR}px`, backgroundSize: `100% ${HOUR}px` } },
        day === week.today && week.now >= from * 60 && week.now < to * 60 ? el("i", { class: "now", style: { top: `${place(week.now, from)}px` } }) : null,
        laid(week.events.filter((event) => event.day === day)).map((one) => block(one, from, moves))))));
}

function hoursOf(week) {
  const timed = week.events.filter((event) => !event.is_all_day);
  const starts = timed.map((event) => Math.floor(event.start / 60));
  const ends = timed.map((event) => Math.ceil(event.end / 60));
  return [Math.min(FIRST, ...starts), Math.max(LAST, ...ends)];
}

function dayHead(week, day) {
  const date = new Date(`${week.days[day]}T12:00`);
  return el("div", { class: day === week.today ? "day-head is-today" : "day-head" },
    el("b", {}, date.getDate()), el("span", {}, date.toLocaleDateString([], { weekday: "long" })));
}

function place(minutes, from) {
  return ((minutes - from * 60) / 60) * HOUR;
}

// Events that overlap stand side by side.
function laid(events) {
  const done = [];
  let group = [];
  let until = -1;
  const close = () => {
    const width = Math.max(0, ...group.map((one) => one.lane + 1));
    group.forEach((one) => done.push({ ...one, width }));
    group = [];
  };
  for (const event of events.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (event.start >= until) close();
    const taken = new Set(group.filter((one) => one.event.end > event.start).map((one) => one.lane));
    let lane = 0;
    while (taken.has(lane)) lane += 1;
    group.push({ event, lane });
    until = Math.max(until, event.end);
  }
  close();
  return done;
}

function block({ event, lane, width }, from, moves) {
  const kinds = ["event", `is-${event.shows_as}`, event.id === state.event ? "is-open" : ""];
  const top = place(event.start, from);
  if (event.end - event.start < 45) kinds.push("is-short");
  const style = {
    top: `${top + 1}px`,
    height: `${Math.max(22, place(event.end, from) - top - 3)}px`,
    left: `calc(${(lane / width) * 100}% + 2px)`,
    width: `calc(${100 / width}% - 5px)`,
  };
  return button(`${event.subject}, ${event.when}`, {
    class: kinds.filter(Boolean).join(" "), style, onclick: () => moves.go({ event: event.id }),
  }, el("b", {}, event.subject || "(no subject)"), el("span", {}, [event.when, event.place].filter(Boolean).join(" · ")));
}

function panel(event, moves) {
  return el("aside", { class: "event-panel", "aria-label": event.subject },
    button("Close", { class: "step", onclick: () => moves.go({ event: "" }) }, icon("close")),
    el("h2", {}, event.subject || "(no subject)"),
    el("p", {}, icon("clock", 17), event.when),
    event.place ? el("p", {}, icon("pin", 17), event.place) : null,
    event.online ? el("p", {}, icon("video", 17), "Online meeting") : null,
    el("h3", {}, "People"),
    el("ul", { class: "guests" }, guest(event.organizer, "Organizer"),
      event.attendees.map((one) => guest(one, ANSWERS[one.response] || one.response))),
    bodyOf(event.body));
}

function guest(one, note) {
  return el("li", {}, avatar(one.name, 30), el("span", {}, one.name, el("small", {}, note)), one.is_external ? external() : null);
}
