// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.json.JsonText;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/**
 * Note events as JSON objects, for programs: {@code
 * {"hlc":"1795200000000000.3","micros":1795200000000000,"rule":"1 wood","layer":"mark",
 * "kind":"strike","node":"zk1","level":4,"patch":"wood","key":69,"velocity":100,
 * "lengthMicros":80000,"pan":-0.8}}.
 */
public final class NoteJson {
  private NoteJson() {}

  /**
   * Returns the object in one line.
   *
   * <p>The stamp is null before the first cut, the name of the node without one, and the length of
   * a sound without end.
   */
  public static String text(NoteEvent note) {
    return JsonText.object(out -> write(out, note));
  }

  private static void write(JsonGenerator out, NoteEvent note) {
    out.writeName("hlc");
    if (note.hlc() == HlcTimestamp.MIN_PACKED) {
      out.writeNull();
    } else {
      out.writeString(HlcTimestamp.text(note.hlc()));
    }
    out.writeName("micros").writeNumber(note.micros());
    out.writeName("rule").writeString(note.rule());
    out.writeName("layer").writeString(word(note.layer()));
    out.writeName("kind").writeString(word(note.kind()));
    out.writeName("node");
    if (note.node().isEmpty()) {
      out.writeNull();
    } else {
      out.writeString(note.node());
    }
    number(out.writeName("level"), note.level());
    out.writeName("patch").writeString(note.patch());
    out.writeName("key").writeNumber(note.key());
    out.writeName("velocity").writeNumber(note.velocity());
    out.writeName("lengthMicros");
    if (note.lengthMicros() == NoteEvent.UNTIL_THE_END) {
      out.writeNull();
    } else {
      out.writeNumber(note.lengthMicros());
    }
    number(out.writeName("pan"), note.pan());
  }

  private static void number(JsonGenerator out, double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      out.writeNumber((long) value);
    } else {
      out.writeNumber(value);
    }
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
