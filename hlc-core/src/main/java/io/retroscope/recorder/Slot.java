// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.ValueType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One slot of the ring. Between claim and publication its fields are owned by the thread that
 * claimed it, afterwards by the drainer; the state transfers the ownership.
 */
final class Slot extends HlcReading {
  /*
   * A slot fills one cache line, 64 bytes with compressed references, because each of its lines
   * moves from the drainer's core to the writer's and back. For this reason, and because storing a
   * reference costs a garbage collector's barrier, the enumerations are bytes, one field holds
   * either the variable or the log, and a reference that the slot had in the previous lap is not
   * stored again. A message without an identity of its own holds the stamp that it carries, and the
   * drainer formats it.
   *
   * A recycled slot holds no memory except a variable or the name of a log that is held anyway. An event that
   * holds more has reserved it, so heldBytes is 0 for all slots that need no clearing.
   */
  private static final int FREE = 0;
  private static final int PUBLISHED = 1;
  private static final int ABANDONED = 2;
  private static final VarHandle STATE;
  private static final VarHandle HELD_BYTES;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(Slot.class, "state", int.class);
      HELD_BYTES = lookup.findVarHandle(Slot.class, "heldBytes", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // by STATE
  private volatile int state;

  /** The low 32 bits of the number of drops before the claim. */
  int drops;

  /** The bytes that the event holds beyond this slot and has reserved in the ring. */
  int heldBytes;

  private byte kind;
  private byte operation;
  private byte type;
  private byte marks;

  /** The number of a single change, or the packed stamp that a message carries. */
  long bits;

  /** The {@link VariableHandle} of a single change, otherwise the name of the log. */
  Object subject = "";

  /** The text or the nested value of a single change, a message's peer, or an EventBody. */
  @Nullable Object payload;

  /** A message's identity; null if that is the stamp that it carries. */
  @Nullable String messageId;

  /** Fills in a single change; the stamp is already set. */
  @SuppressWarnings("ReferenceEquality") // storing an equal one again is harmless
  void change(
      VariableHandle variable,
      Operation operation,
      ValueType type,
      long bits,
      @Nullable Object payload) {
    this.kind = EventKind.STATE_CHANGE.code();
    this.operation = (byte) operation.code();
    this.type = type.code();
    this.marks = 0;
    if (this.subject != variable) {
      this.subject = variable;
    }
    this.bits = bits;
    this.payload = payload;
  }

  /** Fills in a message; the stamp is already set. */
  @SuppressWarnings("ReferenceEquality") // storing an equal one again is harmless
  void message(
      EventKind kind, int marks, String log, String peer, @Nullable String id, long carriedHlc) {
    this.kind = kind.code();
    this.marks = (byte) marks;
    if (this.subject != log) {
      this.subject = log;
    }
    if (this.payload != peer) {
      this.payload = peer;
    }
    if (this.messageId != id) {
      this.messageId = id;
    }
    this.bits = carriedHlc;
  }

  /** Fills in any other event; the stamp is already set. */
  void other(EventKind kind, String log, EventBody body) {
    this.kind = kind.code();
    this.marks = 0;
    this.subject = log;
    this.payload = body;
  }

  EventKind kind() {
    return EventKind.ofCode(kind);
  }

  Operation operation() {
    return Operation.ofCode(operation);
  }

  ValueType type() {
    return ValueType.ofCode(type);
  }

  int marks() {
    return marks;
  }

  /** Passes the slot to the drainer; false if the drainer has abandoned it. */
  boolean publish() {
    return STATE.compareAndSet(this, FREE, PUBLISHED);
  }

  boolean isPublished() {
    return (int) STATE.getAcquire(this) == PUBLISHED;
  }

  /** Abandons the slot's writer; false if it has published in the meantime. */
  boolean abandon() {
    return STATE.compareAndSet(this, FREE, ABANDONED);
  }

  /** Takes the reservation from the slot; only one caller gets it. */
  int takeHeldBytes() {
    return (int) HELD_BYTES.getAndSet(this, 0);
  }

  /**
   * Prepares a drained slot for the next lap; visible once the ring's head has passed it.
   *
   * @return the bytes that it held
   */
  int recycle() {
    int bytes = heldBytes;
    if (bytes != 0) {
      forget();
    }
    STATE.set(this, FREE);
    return bytes;
  }

  private void forget() {
    heldBytes = 0;
    payload = null;
    messageId = null;
    if (!(subject instanceof VariableHandle variable && variable.isKept())) {
      subject = "";
    }
  }
}
