"""The plan of an answer's rounds, as the first message of its stream shows it."""

from typing import Literal

from adapters.slack.render import escape, limits
from core.ports import Step
from core.records import Json

WORKING, DONE, STOPPED, WRITING = "Working on it", "Done", "Stopped", "Write the answer"
Status = Literal["in_progress", "complete", "error"]


class Plan:
    """The steps of the work, and what of them Slack has not been told yet."""

    def __init__(self, post: str) -> None:
        self._post = post
        self._steps: dict[str, Step] = {}
        self._news: dict[str, Step] = {}
        self._title, self._writing = WORKING, "in_progress"

    def __bool__(self) -> bool:
        return bool(self._steps)

    def put(self, step: Step) -> None:
        if len(self._steps) < limits.PLAN_TASKS or step.id in self._steps:
            self._steps[step.id] = self._news[step.id] = step

    def begun(self) -> list[Json]:
        """The chunks with which a message begins that shows all of it."""
        self._news.clear()
        steps = [_chunk(self._task(step)) for step in self._steps.values()]
        return [_title(self._title), *steps, _chunk(self._own_task())]

    def news(self) -> list[Json]:
        """The chunks of what has changed."""
        steps = [_chunk(self._task(step)) for step in self._news.values()]
        self._news.clear()
        return steps

    def unsaid(self) -> None:
        """A call failed: whatever it said may have to be said again, which does no harm."""
        self._news = dict(self._steps)

    def left(self) -> list[Json]:
        """The chunks with which the message ends that shows the plan, while the answer goes on in
        a next one: nothing here can change any more."""
        is_working = any(step.state == "in_progress" for step in self._steps.values())
        self._title, self._writing = (WORKING if is_working else DONE), "complete"
        return [*self.news(), _chunk(self._own_task()), _title(self._title)]

    def over(self, state: Literal["complete", "error"]) -> list[Json]:
        """The chunks with which the work ends: nothing is in progress any more."""
        for step in list(self._steps.values()):
            if step.state == "in_progress":
                self.put(Step(id=step.id, title=step.title, state=state))
        self._title, self._writing = (DONE if state == "complete" else STOPPED), state
        return [*self.news(), _chunk(self._own_task()), _title(self._title)]

    def block(self) -> Json:
        """The same as a block, for a message that is written anew."""
        tasks = [*(self._task(step) for step in self._steps.values()), self._own_task()]
        shown = [{"type": "task_card", "task_id": task.pop("id"), **task} for task in tasks]
        return {"type": "plan", "title": self._title, "tasks": shown}

    def _task(self, step: Step) -> Json:
        title = escape.inert(" ".join(step.title.split()))[: limits.STEP_TITLE]
        return {"id": f"{self._post}:{step.id}", "title": title, "status": step.state}

    def _own_task(self) -> Json:
        return {"id": f"{self._post}:1", "title": WRITING, "status": self._writing}


def _chunk(task: Json) -> Json:
    return {"type": "task_update", **task}


def _title(words: str) -> Json:
    return {"type": "plan_update", "title": words}
