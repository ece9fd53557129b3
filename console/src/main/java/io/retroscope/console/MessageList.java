// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.console.MessageSearch.Message;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MessageEnd;
import java.util.List;
import tools.jackson.core.JsonGenerator;

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
    return PageJson.object(
        out -> {
          out.writeStringProperty("from", HlcTimestamp.text(range.from()));
          out.writeStringProperty("until", HlcTimestamp.text(range.to()));
          out.writeBooleanProperty("complete", search.isComplete());
          searched(out, search);
          messages(out, "messages", search.matched(), most);
          ends(out, "unreceived", search.unreceived(), most);
          ends(out, "unmatched", search.unmatched(), most);
        });
  }

  /** Adds the bounds of the search. */
  static void searched(JsonGenerator out, MessageSearch search) {
    out.writeStringProperty("searchedFrom", HlcTimestamp.text(search.searched().from()));
    out.writeStringProperty("searchedUntil", HlcTimestamp.text(search.searched().to()));
  }

  /**
   * Adds messages as {@code [id, sender, stamp, receiver, stamp, possible sends]}, and their
   * number.
   */
  static void messages(JsonGenerator out, String name, List<Message> messages, int most) {
    out.writeArrayPropertyStart(name);
    for (Message message : messages.subList(0, Math.min(most, messages.size()))) {
      out.writeStartArray();
      out.writeString(message.send().id());
      out.writeString(message.send().node());
      out.writeString(HlcTimestamp.text(message.send().hlc()));
      out.writeString(message.receipt().node());
      out.writeString(HlcTimestamp.text(message.receipt().hlc()));
      out.writeNumber(message.candidates());
      out.writeEndArray();
    }
    out.writeEndArray();
    out.writeNumberProperty(name + "Count", messages.size());
  }

  /** Adds ends as {@code [id, node, stamp, other node]}, and their number. */
  static void ends(JsonGenerator out, String name, List<MessageEnd> ends, int most) {
    out.writeArrayPropertyStart(name);
    for (MessageEnd end : ends.subList(0, Math.min(most, ends.size()))) {
      out.writeStartArray();
      out.writeString(end.id());
      out.writeString(end.node());
      out.writeString(HlcTimestamp.text(end.hlc()));
      out.writeString(end.peer());
      out.writeEndArray();
    }
    out.writeEndArray();
    out.writeNumberProperty(name + "Count", ends.size());
  }
}
