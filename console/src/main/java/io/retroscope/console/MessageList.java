// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.console.MessageSearch.Message;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MessageEnd;
import java.util.List;

/** The messages of a stretch as JSON: matched, without a receipt, and without a send. */
public final class MessageList {
  /** The most messages of each kind in one answer. */
  public static final int MAX_MESSAGES = 20_000;

  private MessageList() {}

  /**
   * Lists the messages of a range.
   *
   * @param most the number of messages of each kind, from 1 to {@link #MAX_MESSAGES}
   */
  public static String json(View view, HlcRange range, int most) {
    MessageSearch search = MessageSearch.of(view, range);
    JsonText json = new JsonText().raw("{");
    json.name("from").string(HlcTimestamp.text(range.from()));
    json.name("until").string(HlcTimestamp.text(range.to()));
    json.name("complete").raw(Boolean.toString(search.isComplete()));
    searched(json, search);
    json.name("messages").raw("[");
    search.matched().stream().limit(most).forEach(message -> message(json.comma(), message));
    json.raw("]").name("messagesCount").raw(Integer.toString(search.matched().size()));
    ends(json, "unreceived", search.unreceived(), most);
    ends(json, "unmatched", search.unmatched(), most);
    return json.raw("}").toString();
  }

  /** Adds the bounds of the search. */
  static void searched(JsonText json, MessageSearch search) {
    json.name("searchedFrom").string(HlcTimestamp.text(search.searched().from()));
    json.name("searchedUntil").string(HlcTimestamp.text(search.searched().to()));
  }

  /** Adds a message as {@code [id, sender, stamp, receiver, stamp, possible sends]}. */
  static void message(JsonText json, Message message) {
    json.raw("[").string(message.send().id());
    json.comma().string(message.send().node());
    json.comma().string(HlcTimestamp.text(message.send().hlc()));
    json.comma().string(message.receipt().node());
    json.comma().string(HlcTimestamp.text(message.receipt().hlc()));
    json.number(message.candidates()).raw("]");
  }

  /** Adds ends as {@code [id, node, stamp, other node]}, and their number. */
  static void ends(JsonText json, String name, List<MessageEnd> ends, int most) {
    json.name(name).raw("[");
    for (MessageEnd end : ends.subList(0, Math.min(most, ends.size()))) {
      json.comma().raw("[").string(end.id());
      json.comma().string(end.node());
      json.comma().string(HlcTimestamp.text(end.hlc()));
      json.comma().string(end.peer()).raw("]");
    }
    json.raw("]").name(name + "Count").raw(Integer.toString(ends.size()));
  }
}
