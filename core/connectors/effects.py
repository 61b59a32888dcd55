"""All effects by the key of their tool, for whoever carries calls out."""

from collections.abc import Mapping

from core.connectors.calendar.effect import CancelEvent, CreateEvent, UpdateEvent
from core.connectors.chat.slack import PostToSlack
from core.connectors.chat.teams import PostToChannel, PostToChat
from core.connectors.files.share import ShareLink, ShareWith
from core.connectors.files.upload import UploadFile
from core.connectors.mail.effect import MailEffect
from core.connectors.office import Office
from core.connectors.outcome import Effect
from core.ports import Poster


def effects(office: Office | None, poster: Poster | None = None) -> Mapping[str, Effect]:
    """`office` is None where no Microsoft account can be connected, `poster` where there is no
    Slack: then the tools that would need it are not there either."""
    found: list[Effect] = []
    if office is not None:
        found += [
            MailEffect(tool="office/send_mail", mode="send", office=office),
            MailEffect(tool="office/reply_to_mail", mode="reply", office=office),
            MailEffect(tool="office/forward_mail", mode="forward", office=office),
            CreateEvent(office=office),
            UpdateEvent(office=office),
            CancelEvent(office=office),
            UploadFile(office=office),
            ShareLink(office=office),
            ShareWith(office=office),
            PostToChat(office=office),
            PostToChannel(office=office),
        ]
    if poster is not None:
        found.append(PostToSlack(poster=poster))
    return {effect.tool: effect for effect in found}
