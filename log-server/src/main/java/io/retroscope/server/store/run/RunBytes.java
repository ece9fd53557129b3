// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.RunSpan;
import io.retroscope.rql.cut.SequenceGaps;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The serialized form of the parts of an {@link Incarnation}. */
final class RunBytes {
  private RunBytes() {}

  static void writeSequences(DataOutputStream out, SequenceGaps.State state) throws IOException {
    out.writeBoolean(state.oldest().isPresent());
    if (state.oldest().isPresent()) {
      Gap oldest = state.oldest().get();
      out.writeLong(oldest.range().from());
      out.writeLong(oldest.range().to());
      out.writeLong(oldest.eventCount());
    }
    out.writeInt(state.runs().size());
    for (SequenceGaps.Seen run : state.runs()) {
      out.writeLong(run.numbering());
      out.writeLong(run.first());
      out.writeLong(run.last());
      out.writeLong(run.firstHlc());
      out.writeLong(run.lastHlc());
    }
    writeText(out, state.incarnation());
    out.writeLong(state.assigned());
    out.writeLong(state.assignedHlc());
  }

  static SequenceGaps.State readSequences(String node, DataInputStream in) throws IOException {
    Optional<Gap> oldest =
        in.readBoolean()
            ? Optional.of(new Gap(node, new HlcRange(in.readLong(), in.readLong()), in.readLong()))
            : Optional.empty();
    List<SequenceGaps.Seen> runs = new ArrayList<>();
    for (int size = in.readInt(); size > 0; size--) {
      runs.add(
          new SequenceGaps.Seen(
              in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong()));
    }
    String incarnation = readText(in);
    return new SequenceGaps.State(oldest, runs, incarnation, in.readLong(), in.readLong());
  }

  static void writeSpans(DataOutputStream out, Collection<RunSpan> spans) throws IOException {
    out.writeInt(spans.size());
    for (RunSpan span : spans) {
      writeText(out, span.incarnation());
      writeText(out, span.predecessor());
      out.writeLong(span.range().from());
      out.writeLong(span.range().to());
      out.writeBoolean(span.isStopped());
    }
  }

  static List<RunSpan> readSpans(String node, DataInputStream in) throws IOException {
    List<RunSpan> spans = new ArrayList<>();
    for (int size = in.readInt(); size > 0; size--) {
      String name = readText(in);
      String predecessor = readText(in);
      HlcRange range = new HlcRange(in.readLong(), in.readLong());
      spans.add(new RunSpan(node, name, range, predecessor, in.readBoolean()));
    }
    return spans;
  }

  static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  static String readText(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }

  static void writeMap(DataOutputStream out, Map<Long, Long> map) throws IOException {
    out.writeInt(map.size());
    for (Map.Entry<Long, Long> entry : map.entrySet()) {
      out.writeLong(entry.getKey());
      out.writeLong(entry.getValue());
    }
  }

  static void readMap(DataInputStream in, Map<Long, Long> map) throws IOException {
    for (int size = in.readInt(); size > 0; size--) {
      map.put(in.readLong(), in.readLong());
    }
  }
}
