// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * The application threads' side of the ring: claims a slot, stamps it, fills it in and publishes
 * it. Never blocks. Thread-safe.
 */
final class EventWriter {
  /*
   * The drainer's promises depend on the order of the steps. A slot is claimed before the clock
   * ticks, because a stamp taken earlier could fall below a promise that does not wait for the
   * slot. A pending repair is superseded before the clock ticks, because otherwise the repair could
   * be stamped above the newer value. A receive moves the clock even if it is dropped.
   */
  private final EventRing ring;
  private final HybridLogicalClock clock;
  private final Repairs repairs;
  private final Admission admission;
  private final Counters counters;
  private volatile boolean closed;

  EventWriter(
      EventRing ring,
      HybridLogicalClock clock,
      Repairs repairs,
      Admission admission,
      Counters counters) {
    this.ring = ring;
    this.clock = clock;
    this.repairs = repairs;
    this.admission = admission;
    this.counters = counters;
  }

  /** The hot path: one change of one variable. */
  void change(
      VariableHandle variable,
      Operation operation,
      ValueType type,
      long bits,
      @Nullable Object payload) {
    int heldBytes = variable.heldBytes;
    if (payload != null) {
      heldBytes += Footprint.ofPayload(payload);
    }
    Slot slot = claim(heldBytes);
    if (slot != null) {
      if (!repairs.isEmpty()) {
        repairs.supersede(variable, operation, payload);
      }
      clock.tick(slot);
      slot.change(variable, operation, type, bits, payload);
      if (publish(slot)) {
        return;
      }
    }
    if (!closed) {
      Value value = payload == null ? valueOf(type, bits) : admission.valueOf(payload);
      repairs.dropped(variable, new Change(operation, variable.variable, value));
    }
  }

  private static Value valueOf(ValueType type, long bits) {
    return switch (type) {
      case LONG -> Value.of(bits);
      case DOUBLE -> Value.of(Double.longBitsToDouble(bits));
      case BOOLEAN -> Value.of(bits != 0);
      case NULL, STRING, NESTED -> Value.NullValue.NULL;
    };
  }

  /** Records an event with this body and returns its packed stamp, even if it is dropped. */
  long record(String log, EventBody body) {
    Slot slot = claim(Footprint.of(log) + Footprint.of(body));
    boolean recorded = false;
    long hlc;
    if (slot == null) {
      hlc = clock.tick();
    } else {
      if (!repairs.isEmpty() && body instanceof EventBody.StateChange state) {
        for (Change change : state.changes()) {
          VariableHandle variable = new VariableHandle(log, change.variable());
          repairs.supersede(variable, change.operation(), change.value());
        }
      }
      clock.tick(slot);
      hlc = slot.hlc;
      slot.other(body.kind(), log, body);
      recorded = publish(slot);
    }
    if (!recorded && !closed && body instanceof EventBody.StateChange state) {
      for (Change change : state.changes()) {
        repairs.dropped(new VariableHandle(log, change.variable()), change);
      }
    }
    return hlc;
  }

  /**
   * Records a send and returns its packed stamp, even if it is dropped.
   *
   * @param logBytes the memory that holding the log's name costs: 0 if the recorder keeps it
   * @param id null if the message is identified by the stamp that it carries
   * @param sample selects the stamp if that is the message's identity
   */
  long send(String log, int logBytes, String to, @Nullable String id, MessageSample sample) {
    Slot slot = claim(logBytes + footprint(to, id));
    if (slot == null) {
      return clock.tick();
    }
    do {
      clock.tick(slot);
    } while (id == null && !sample.selects(slot.hlc));
    long hlc = slot.hlc;
    slot.message(EventKind.SEND, 0, log, to, id, hlc);
    publish(slot);
    return hlc;
  }

  /** Records a receive as {@link #send} does a send. */
  long receive(String log, int logBytes, String from, @Nullable String id, long remoteHlc) {
    Slot slot = claim(logBytes + footprint(from, id));
    if (slot == null) {
      HlcReading reading = new HlcReading();
      clock.observe(remoteHlc, reading);
      return reading.hlc;
    }
    boolean ordered = clock.observe(remoteHlc, slot);
    long hlc = slot.hlc;
    int marks = ordered ? 0 : EventMark.UNORDERED.bit();
    slot.message(EventKind.RECEIVE, marks, log, from, id, remoteHlc);
    publish(slot);
    return hlc;
  }

  /** The memory of a message's texts: none if its peer is unknown and it has no identity. */
  private static int footprint(String peer, @Nullable String id) {
    int peerBytes = peer.isEmpty() ? 0 : Footprint.of(peer);
    return id == null ? peerBytes : peerBytes + Footprint.of(id);
  }

  private @Nullable Slot claim(int heldBytes) {
    if (closed) {
      counters.afterClose.increment();
      return null;
    }
    Slot slot = ring.claim(heldBytes);
    if (slot == null) {
      counters.dropped.increment();
    }
    return slot;
  }

  private boolean publish(Slot slot) {
    if (slot.publish()) {
      return true;
    }
    ring.unreserve(slot.takeHeldBytes());
    return false;
  }

  /** Ignores and counts all further events; the clock remains usable. */
  void close() {
    closed = true;
  }
}
