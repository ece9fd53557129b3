// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.timeline;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The serialized form of any {@link TimelineBins} for another process of the same version:
 * complete, and with the names of nodes and variables.
 */
public final class TimelinePart {
  private TimelinePart() {}

  /** Writes bins that have the extremes of each node at their own level. */
  public static byte[] encode(TimelineBins bins) {
    WireWriter out = new WireWriter();
    TimelineCodec.writeLanes(bins, out::putText, out);
    out.putVarint(bins.variables().size());
    bins.variables()
        .forEach(
            (name, variable) -> {
              out.putText(name);
              write(variable, bins, out);
            });
    TimelineCodec.writeMessages(bins, out);
    out.putVarint(bins.uncounted().size());
    bins.uncounted().forEach(out::putText);
    return out.toByteArray();
  }

  private static void write(TimelineVariable variable, TimelineBins bins, WireWriter out) {
    out.putVarint(variable.nodes().size());
    variable
        .nodes()
        .forEach(
            (node, extremes) -> {
              out.putText(node);
              TimelineCodec.write(extremes, bins, out);
            });
    out.putByte(variable.hasOthers() ? 1 : 0);
    if (variable.hasOthers()) {
      TimelineCodec.write(variable.others(), bins, out);
    }
  }

  /**
   * Reads bins.
   *
   * @throws CorruptBlockException if the bytes are not those of {@link #encode}
   */
  public static TimelineBins decode(byte[] bytes) throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    TimelineBins bins = TimelineDecoder.empty(in.getBounded("level", TimelineBins.MAX_LEVEL), in);
    for (int i = in.getCount("number of nodes"); i > 0; i--) {
      TimelineDecoder.read(bins.lane(in.getText()), bins.size(), in);
    }
    for (int i = in.getCount("number of variables"); i > 0; i--) {
      read(bins.variable(in.getText()), bins, in);
    }
    TimelineDecoder.readMessages(bins, in);
    List<String> uncounted = new ArrayList<>();
    for (int i = in.getCount("number of uncounted variables"); i > 0; i--) {
      uncounted.add(in.getText());
    }
    bins.addUncounted(uncounted);
    return bins;
  }

  private static void read(TimelineVariable variable, TimelineBins bins, WireReader in)
      throws CorruptBlockException {
    for (int i = in.getCount("number of a variable's nodes"); i > 0; i--) {
      TimelineDecoder.read(variable.node(in.getText()), bins, in);
    }
    if (in.getByte() != 0) {
      TimelineDecoder.read(variable.others(), bins, in);
    }
  }
}
