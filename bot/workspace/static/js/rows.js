// Keeps a list of rows in step with its data: a row whose data is unchanged stays as it is.

// rows: {key, version, draw}; nodes keep focus, open details and pages while their version holds.
export function keepRows(holder, rows) {
  const before = new Map([...holder.children].map((node) => [node.dataset.key, node]));
  let previous = null;
  for (const row of rows) {
    let node = before.get(row.key);
    if (!node || node.dataset.version !== row.version) {
      const fresh = row.draw();
      fresh.dataset.key = row.key;
      fresh.dataset.version = row.version;
      if (node) {
        keepOpen(node, fresh);
        node.replaceWith(fresh);
      }
      node = fresh;
    }
    before.delete(row.key);
    const spot = previous ? previous.nextElementSibling : holder.firstElementChild;
    if (spot !== node) holder.insertBefore(node, spot);
    previous = node;
  }
  for (const node of before.values()) node.remove();
}

function keepOpen(old, fresh) {
  const [was, now] = [old.querySelectorAll("details"), fresh.querySelectorAll("details")];
  was.forEach((details, index) => {
    if (now[index] && details.dataset.touched) now[index].open = details.open;
  });
}

// A scrolled area that stays at its end while the reader is there, whatever grows or shrinks.
export function stayAtEnd(area, ...contents) {
  let isAtEnd = true;
  area.addEventListener("scroll", () => {
    isAtEnd = area.scrollHeight - area.scrollTop - area.clientHeight < 60;
  });
  const watch = new ResizeObserver(() => {
    if (isAtEnd) toEnd(area);
  });
  for (const node of [area, ...contents]) watch.observe(node);
}

export function toEnd(area) {
  area.scrollTop = area.scrollHeight;
}

export function digest(value) {
  const text = JSON.stringify(value);
  let sum = 5381;
  for (let at = 0; at < text.length; at += 1) sum = ((sum << 5) + sum + text.charCodeAt(at)) | 0;
  return `${text.length}.${sum}`;
}
