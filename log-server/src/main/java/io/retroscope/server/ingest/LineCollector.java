// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.Extent;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.EventLine;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.json.StatedExtent;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.LineBlock;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The events of lines, as the columns of blocks while their stamps ascend. From the first one on
 * that does not fit into columns, all are objects. Used by one thread.
 */
final class LineCollector implements EventConsumer {
  /** Above the number of changes that a line of the usual shape has. */
  private static final int CHANGES_OF_A_LINE = 1_000;

  /** A short line. */
  private static final int BYTES_OF_A_LINE = 64;

  private final NdjsonReader reader;
  private final EventBlockBuilder rows;
  private long[] numbers;
  private final List<LineBlock> blocks = new ArrayList<>();
  private final List<NumberedEvent> events = new ArrayList<>();
  private final List<NumberedEvent> heartbeats = new ArrayList<>();
  private boolean inColumns = true;
  private long lastHlc = HlcTimestamp.MIN_PACKED;
  private String lastNode = "";

  /**
   * Collects what a reader reads.
   *
   * @param textBytes the approximate length of the text
   */
  LineCollector(NdjsonReader reader, long textBytes) {
    this.reader = reader;
    int lines = (int) Math.max(1, Math.min(LineBlock.MAX_EVENTS, textBytes / BYTES_OF_A_LINE));
    rows = new EventBlockBuilder(lines);
    numbers = new long[lines];
  }

  @Override
  public void line(EventLine line) {
    if (line.kind() == EventKind.HEARTBEAT) {
      heartbeats.add(numbered(line.event()));
    } else if (fits(line.hlc(), line.node())) {
      line.addTo(rows);
      added(line.hlc(), line.node());
    } else {
      addObject(line.event());
    }
  }

  @Override
  public void event(Event event) {
    if (event.body() instanceof EventBody.Heartbeat) {
      heartbeats.add(numbered(event));
    } else if (event.incarnation().isEmpty()
        && fits(event.hlc(), event.node())
        && addToRows(event)) {
      added(event.hlc(), event.node());
    } else {
      addObject(event);
    }
  }

  private boolean addToRows(Event event) {
    try {
      rows.add(event);
      return true;
    } catch (IllegalArgumentException | IllegalStateException e) {
      return false; // The store refuses it, too, but after the lines before it.
    }
  }

  private boolean fits(long hlc, String node) {
    boolean follows =
        hlc > lastHlc
            || (hlc == lastHlc
                && (lastNode.isEmpty() || NaturalOrder.INSTANCE.compare(lastNode, node) < 0));
    return inColumns && follows && rows.changeCount() < EventBlock.MAX_CHANGES - CHANGES_OF_A_LINE;
  }

  private void added(long hlc, String node) {
    lastHlc = hlc;
    lastNode = node;
    int row = rows.size() - 1;
    if (row == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * numbers.length);
    }
    numbers[row] = reader.lineNumber();
    if (rows.size() == LineBlock.MAX_EVENTS) {
      endBlock();
    }
  }

  private void endBlock() {
    if (rows.size() > 0) {
      blocks.add(new LineBlock(rows.buildAsAdded(), Arrays.copyOf(numbers, rows.size())));
      rows.clear();
    }
  }

  private void addObject(Event event) {
    if (inColumns) {
      inColumns = false;
      endBlock();
      blocks.forEach(block -> events.addAll(block.events()));
      blocks.clear();
    }
    events.add(numbered(event));
  }

  private NumberedEvent numbered(Event event) {
    return new NumberedEvent(reader.lineNumber(), event);
  }

  @Override
  public void gap(Gap gap) {
    throw new AssertionError("the reader keeps losses");
  }

  @Override
  public void incomplete(Incompleteness reason) {
    throw new AssertionError("the reader keeps reasons");
  }

  /** Everything that was collected. */
  Submission.Lines submission(long sizeBytes) {
    endBlock();
    events.addAll(heartbeats);
    Extent extent = reader.reasons().isEmpty() ? Extent.ALL : extent();
    List<Incompleteness> reasons =
        reader.reasons().stream().map(reason -> reason.within(extent)).toList();
    return new Submission.Lines(blocks, events, reader.gaps(), reasons, sizeBytes);
  }

  /** The collected events, which the reasons concern that do not name others. */
  private Extent extent() {
    StatedExtent extent = new StatedExtent();
    for (LineBlock block : blocks) {
      EventBlock own = block.rows();
      own.nodes().forEach(node -> extent.add(node, own.hlc(0)));
      extent.add(own.nodes().get(0), own.hlc(own.size() - 1));
    }
    events.forEach(line -> extent.add(line.event().node(), line.event().hlc()));
    return extent.extent();
  }
}
