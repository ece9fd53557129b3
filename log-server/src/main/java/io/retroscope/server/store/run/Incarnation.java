// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.RunSpan;
import io.retroscope.rql.cut.SequenceGaps;
import io.retroscope.rql.cut.StartedRuns;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of one run of a node: which of its blocks are stored or declared lost, and up to
 * which stamp its promises hold. Owned by the writing thread, which works on a {@link #copy} and
 * publishes it once the change is in the database.
 */
/*
 * A promise (n, h) means: every event of this incarnation that is in no block up to n is above h.
 * Blocks overtake each other, so the promise counts only once all of 1..n are stored or declared
 * lost. The frontier is the highest promise that counts. Events from sources without blocks belong
 * to the incarnation with the empty name. Its frontier is the highest stamp of its heartbeats and
 * events.
 */
public final class Incarnation {
  /**
   * The largest number of promises kept beyond a gap; dropping one only delays the frontier until
   * the next.
   */
  static final int MAX_WAITING_PROMISES = 1_000;

  /**
   * The largest number of separate gaps in the block numbers; a sender with more is out of order
   * beyond reason.
   */
  static final int MAX_GAPS = 10_000;

  /**
   * Version 1 has no sequence numbers, version 2 no promised intervals, version 3 no forgotten
   * runs, version 4 no runs that lines without names show.
   */
  private static final int VERSION = 5;

  private static final long NOT_FORGOTTEN = Long.MIN_VALUE;

  /** The identity of a run: its node and its name. */
  public record Name(String node, String incarnation) {}

  private final Name name;
  private long contiguous;
  private long frontier = EventBlock.NO_HEARTBEAT;
  private final TreeMap<Long, Long> beyondGap = new TreeMap<>();
  private final TreeMap<Long, Long> waitingPromises = new TreeMap<>();
  private long startHlc = Long.MAX_VALUE;
  private boolean startSeen;
  private boolean predecessorPending;
  private long stopHlc = Long.MIN_VALUE;
  private long stopNumber;
  private long lastHlc = Long.MIN_VALUE;
  private String predecessor = "";
  private long promisedAtHlc = EventBlock.NO_HEARTBEAT;
  private long promiseMicros;
  private SequenceGaps sequences;

  /** The runs that lines without names show; null if there are none, as for most. */
  private @Nullable StartedRuns started;

  private long forgottenMicros = NOT_FORGOTTEN;
  private boolean gone;
  private boolean ahead;

  public Incarnation(Name name) {
    this.name = name;
    this.sequences = new SequenceGaps(name.node(), SequenceGaps.State.EMPTY);
  }

  /** The identity of this run. */
  public Name name() {
    return name;
  }

  /**
   * Packed: all events of this incarnation up to here are stored or declared lost; {@code
   * EventBlock.NO_HEARTBEAT} while nothing is known.
   */
  public long frontier() {
    return frontier;
  }

  /** Packed: the stamp of its start, or the lowest one seen. */
  public long startHlc() {
    return startHlc;
  }

  /** Whether its own start event is stored. */
  public boolean startSeen() {
    return startSeen;
  }

  /** Whether the predecessor ended before it had sent everything, so that more may come. */
  public boolean predecessorPending() {
    return predecessorPending;
  }

  /** Packed: the highest stamp of its stored events; below every stamp if there are none. */
  public long lastHlc() {
    return lastHlc;
  }

  /**
   * The previous run as named by this run's start event or, if it names none and its clock was
   * older than all of that run, by their arrival; empty if it is not known.
   */
  public String predecessor() {
    return predecessor;
  }

  /**
   * The time after its last heartbeat during which it does not count as silent, in microseconds; 0
   * if it promised nothing.
   */
  public long assuredMicros() {
    return EventSource.assuredMicros(promiseMicros);
  }

  /** Whether it has stopped, and everything before the stop is stored. */
  public boolean isStopped() {
    return stopHlc != Long.MIN_VALUE && stopHlc >= lastHlc && contiguous >= stopNumber;
  }

  /** Packed: the stamp of its stop; below every stamp if it has none. */
  long stopHlc() {
    return stopHlc;
  }

  /** Whether it was closed permanently. */
  public boolean isForgotten() {
    return forgottenMicros != NOT_FORGOTTEN;
  }

  /**
   * The server's clock reading when the run was closed, in microseconds; valid only if it is
   * closed.
   */
  public long forgottenMicros() {
    return forgottenMicros;
  }

  /** Whether only its name is kept, so that nothing more is accepted from it. */
  public boolean isGone() {
    return gone;
  }

  /** Packed: its highest known stamp, of events and heartbeats. */
  public long lastHeardHlc() {
    return Math.max(lastHlc, frontier);
  }

  public void closed(long hlc) {
    seen(hlc, hlc);
    stopped(hlc, contiguous);
  }

  public void forget(long nowMicros) {
    forgottenMicros = nowMicros;
    beyondGap.clear();
    waitingPromises.clear();
  }

  /** Drops everything but the name. */
  public void leave() {
    gone = true;
    sequences = new SequenceGaps(name.node(), SequenceGaps.State.EMPTY);
  }

  /** Accepts events again. A run without a name cannot be distinguished from a new one. */
  public void reopen() {
    forgottenMicros = NOT_FORGOTTEN;
    gone = false;
  }

  /** The number of blocks that must be stored or declared lost before the frontier advances. */
  public long gapCount() {
    return lastMissing() - contiguous;
  }

  /** The first block that is neither stored nor declared lost. */
  public long firstMissing() {
    return contiguous + 1;
  }

  /**
   * The last of the blocks, from {@link #firstMissing} on, that must arrive before the frontier
   * advances; lower than that one if none must.
   */
  public long lastMissing() {
    if (!beyondGap.isEmpty()) {
      return beyondGap.firstKey() - 1;
    }
    return waitingPromises.isEmpty() ? contiguous : waitingPromises.lastKey();
  }

  /**
   * The declaration that replaces the missing blocks once no sender has them; at least one block
   * must be missing.
   */
  public LostBlocks missingAsLost() {
    long from = frontier == EventBlock.NO_HEARTBEAT ? HlcTimestamp.MIN_PACKED : frontier;
    long to = startHlc == Long.MAX_VALUE ? from : Math.max(from, startHlc);
    return new LostBlocks(
        name.node(), name.incarnation(), firstMissing(), lastMissing(), 0, from, to);
  }

  /** The gaps of events that will never arrive, whether declared lost or not. */
  public List<Gap> gaps() {
    return sequences.gaps().stream().filter(gap -> gap.range().to() <= frontier).toList();
  }

  /** Whether {@link #gaps} may return any gap, now or once the frontier has advanced. */
  boolean hasHoles() {
    return sequences.mayHaveHoles();
  }

  public Incarnation copy() {
    Incarnation copy = new Incarnation(name);
    copy.contiguous = contiguous;
    copy.frontier = frontier;
    copy.beyondGap.putAll(beyondGap);
    copy.waitingPromises.putAll(waitingPromises);
    copy.startHlc = startHlc;
    copy.startSeen = startSeen;
    copy.predecessorPending = predecessorPending;
    copy.stopHlc = stopHlc;
    copy.stopNumber = stopNumber;
    copy.lastHlc = lastHlc;
    copy.predecessor = predecessor;
    copy.promisedAtHlc = promisedAtHlc;
    copy.promiseMicros = promiseMicros;
    copy.sequences = new SequenceGaps(name.node(), sequences.state());
    copy.add(startedSpans());
    copy.forgottenMicros = forgottenMicros;
    copy.gone = gone;
    copy.ahead = ahead;
    return copy;
  }

  /** Whether the block is stored or declared lost. */
  public boolean knows(long number) {
    Map.Entry<Long, Long> range = beyondGap.floorEntry(number);
    return number <= contiguous || (range != null && number <= range.getValue());
  }

  /** Notes that the blocks are stored or declared lost. */
  public void cover(long firstNumber, long lastNumber) {
    long first = firstNumber;
    long last = lastNumber;
    Map.Entry<Long, Long> before = beyondGap.floorEntry(first);
    if (before != null && before.getValue() >= first - 1) {
      first = before.getKey();
      last = Math.max(last, before.getValue());
    }
    for (Map.Entry<Long, Long> after = beyondGap.ceilingEntry(first);
        after != null && after.getKey() - 1 <= last;
        after = beyondGap.ceilingEntry(first)) {
      last = Math.max(last, after.getValue());
      beyondGap.remove(after.getKey());
    }
    if (first - 1 <= contiguous) {
      contiguous = Math.max(contiguous, last);
    } else if (beyondGap.size() >= MAX_GAPS) {
      throw new StoreConflictException(
          "block %d of node \"%s\" leaves more than %d gaps: send the missing blocks, or declare them lost"
              .formatted(firstNumber, name.node(), MAX_GAPS));
    } else {
      beyondGap.put(first, last);
    }
    settlePromises();
  }

  /** Notes a promise: every event in no block up to {@code number} is above {@code hlc}. */
  public void promise(long number, long hlc) {
    if (hlc == EventBlock.NO_HEARTBEAT) {
      return;
    }
    ahead = false;
    waitingPromises.merge(number, hlc, Math::max);
    if (waitingPromises.size() > MAX_WAITING_PROMISES) {
      waitingPromises.pollFirstEntry();
    }
    settlePromises();
  }

  /**
   * Notes a stamp that came without a block. The run's later stamps are above it, which is useful
   * only if the run sends no blocks.
   */
  public void promiseOfLine(long hlc) {
    if (contiguous == 0 && beyondGap.isEmpty()) {
      promise(0, hlc);
    }
  }

  /** Notes a promise that does not count, because the run's clock is too far ahead. */
  public void promisedTooFarAhead() {
    ahead = true;
  }

  /**
   * Whether its last promise did not count, because its clock is too far ahead. This is not stored.
   */
  public boolean isTooFarAhead() {
    return ahead;
  }

  /**
   * Notes the interval after a heartbeat within which the next one is promised; the latest replaces
   * earlier ones.
   */
  public void promisedWithin(long hlc, long micros) {
    if (hlc >= promisedAtHlc) {
      promisedAtHlc = hlc;
      promiseMicros = micros;
    }
  }

  private void settlePromises() {
    while (!waitingPromises.isEmpty() && waitingPromises.firstKey() <= contiguous) {
      frontier = Math.max(frontier, waitingPromises.pollFirstEntry().getValue());
    }
  }

  /** Notes the stamps of events of any kind. */
  public void seen(long firstHlc, long lastHlc) {
    startHlc = startSeen ? startHlc : Math.min(startHlc, firstHlc);
    this.lastHlc = Math.max(this.lastHlc, lastHlc);
  }

  /** Notes the stamp of a line of a request without a start of the node. */
  public void seenLine(EventKind kind, long hlc) {
    if (started != null) {
      started.seen(kind, hlc);
    }
  }

  /** Whether lines without names show any run. */
  public boolean hasStarted() {
    return started != null;
  }

  /** Notes the sequence numbers of a block's events. */
  public void numbered(EventBlock block) {
    int first = -1;
    int last = -1;
    int count = 0;
    for (int row = 0; row < block.size(); row++) {
      if (block.sequence(row) != Event.NO_SEQUENCE) {
        count++;
        first = first < 0 || block.sequence(row) < block.sequence(first) ? row : first;
        last = last < 0 || block.sequence(row) > block.sequence(last) ? row : last;
      }
    }
    if (count > 0 && block.sequence(last) - block.sequence(first) == count - 1) {
      sequences.seen(
          block.sequence(first), block.sequence(last), block.hlc(first), block.hlc(last));
    } else if (count > 0) {
      for (int row = 0; row < block.size(); row++) {
        numbered(block.sequence(row), block.hlc(row));
      }
    }
  }

  /** Notes the sequence number of an event, if it has one. */
  public void numbered(long sequence, long hlc) {
    if (sequence != Event.NO_SEQUENCE) {
      sequences.seen(sequence, sequence, hlc, hlc);
    }
  }

  /**
   * Notes that numbers up to {@code sequence} had been assigned at a stamp; 0 if that is not known.
   */
  public void assigned(long sequence, long hlc) {
    sequences.assigned(sequence, hlc);
  }

  /**
   * Notes the runs that lines without names show.
   *
   * @return whether anything about them was not known
   */
  public boolean add(Collection<RunSpan> runs) {
    List<RunSpan> before = startedSpans();
    if (!runs.isEmpty()) {
      StartedRuns all = started == null ? new StartedRuns(name.node()) : started;
      runs.forEach(all::add);
      started = all;
    }
    return !startedSpans().equals(before);
  }

  private List<RunSpan> startedSpans() {
    return started == null ? List.of() : started.spans();
  }

  /** Why the runs that lines without names show may be wrong: they overlap, or did not stop. */
  List<Incompleteness> startedReasons() {
    if (started == null) {
      return List.of();
    }
    List<Incompleteness> reasons = new ArrayList<>();
    started.overlaps().forEach(overlap -> reasons.add(new Incompleteness.Overlapping(overlap)));
    if (assuredMicros() > 0) {
      reasons.addAll(started.unsent());
    }
    return reasons;
  }

  public void started(long hlc, EventBody.Start start) {
    sequences.started(hlc, start.incarnation());
    startHlc = hlc;
    startSeen = true;
    predecessor = start.predecessor();
    predecessorPending = start.spill() == EventBody.Spill.PENDING;
  }

  /** Notes the previous run, which this run's start does not name. */
  public void follow(Incarnation before) {
    predecessor = before.name.incarnation();
  }

  public void stopped(long hlc, long number) {
    stopHlc = Math.max(stopHlc, hlc);
    stopNumber = Math.max(stopNumber, number);
  }

  public void write(DataOutputStream out) throws IOException {
    // Writes an earlier version if possible, so that older programs can read the store.
    int version = started != null ? VERSION : isForgotten() ? VERSION - 1 : VERSION - 2;
    out.writeByte(version);
    out.writeLong(contiguous);
    out.writeLong(frontier);
    RunBytes.writeMap(out, beyondGap);
    RunBytes.writeMap(out, waitingPromises);
    out.writeLong(startHlc);
    out.writeBoolean(startSeen);
    out.writeBoolean(predecessorPending);
    out.writeLong(stopHlc);
    out.writeLong(stopNumber);
    out.writeLong(lastHlc);
    RunBytes.writeSequences(out, sequences.state());
    RunBytes.writeText(out, predecessor);
    out.writeLong(promisedAtHlc);
    out.writeLong(promiseMicros);
    if (version > 3) {
      out.writeLong(forgottenMicros);
      out.writeBoolean(gone);
    }
    if (version > 4) {
      RunBytes.writeSpans(out, startedSpans());
    }
  }

  public static Incarnation read(Name name, DataInputStream in) throws IOException {
    int version = in.readByte();
    if (version < 1 || version > VERSION) {
      throw new IOException("incarnation record of version " + version);
    }
    Incarnation read = new Incarnation(name);
    read.contiguous = in.readLong();
    read.frontier = in.readLong();
    RunBytes.readMap(in, read.beyondGap);
    RunBytes.readMap(in, read.waitingPromises);
    read.startHlc = in.readLong();
    read.startSeen = in.readBoolean();
    read.predecessorPending = in.readBoolean();
    read.stopHlc = in.readLong();
    read.stopNumber = in.readLong();
    read.lastHlc = in.readLong();
    if (version > 1) {
      read.sequences = new SequenceGaps(name.node(), RunBytes.readSequences(name.node(), in));
    }
    if (version > 2) {
      read.predecessor = RunBytes.readText(in);
      read.promisedAtHlc = in.readLong();
      read.promiseMicros = in.readLong();
    }
    if (version > 3) {
      read.forgottenMicros = in.readLong();
      read.gone = in.readBoolean();
    }
    if (version > 4) {
      read.add(RunBytes.readSpans(name.node(), in));
    } else if (name.incarnation().isEmpty() && read.startSeen) {
      HlcRange range = new HlcRange(read.startHlc, Math.max(read.startHlc, read.lastHlc));
      read.add(List.of(new RunSpan(name.node(), "", range, "")));
    }
    return read;
  }
}
