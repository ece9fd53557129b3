package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.ValueType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One place in the ring. Between claim and publication its fields belong to the thread that claimed
 * it, afterwards to the drainer; the state is what hands them over.
 */
final class Slot extends HlcReading {
  private static final int FREE = 0;
  private static final int PUBLISHED = 1;
  private static final int ABANDONED = 2;
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Slot.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // by STATE
  private volatile int state;

  /** The low 32 bits of the number of drops before the claim. */
  int drops;

  EventKind kind = EventKind.STATE_CHANGE;
  int marks;

  /** The variable of a single change; null where {@link #payload} says it all. */
  @Nullable VariableHandle variable;

  Operation operation = Operation.SET;
  ValueType type = ValueType.NULL;
  long bits;

  /** The log of whatever is not a single change. */
  String log = "";

  /** The text or the nested value of a single change, a message's peer, or an EventBody. */
  @Nullable Object payload;

  /** A message's identity. */
  String messageId = "";

  /** Fills in a single change; the stamp is there already. */
  void change(
      VariableHandle variable,
      Operation operation,
      ValueType type,
      long bits,
      @Nullable Object payload) {
    this.kind = EventKind.STATE_CHANGE;
    this.marks = 0;
    this.variable = variable;
    this.operation = operation;
    this.type = type;
    this.bits = bits;
    this.payload = payload;
  }

  /** Fills in anything else; the stamp is there already. */
  void other(EventKind kind, int marks, String log, Object payload, String messageId) {
    this.kind = kind;
    this.marks = marks;
    this.variable = null;
    this.log = log;
    this.payload = payload;
    this.messageId = messageId;
  }

  /** Hands the slot to the drainer; false if that has given up on it. */
  boolean publish() {
    return STATE.compareAndSet(this, FREE, PUBLISHED);
  }

  boolean isPublished() {
    return (int) STATE.getAcquire(this) == PUBLISHED;
  }

  /** Gives up on a writer; false if it has published after all. */
  boolean abandon() {
    return STATE.compareAndSet(this, FREE, ABANDONED);
  }

  /** Makes a drained slot ready for the next lap; visible once the ring's head has passed it. */
  void recycle() {
    if (payload != null) {
      payload = null;
    }
    STATE.set(this, FREE);
  }
}
