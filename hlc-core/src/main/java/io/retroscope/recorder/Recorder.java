package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import io.retroscope.sink.EventSink;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The door through which a service records what it does. One process is one node, with one recorder
 * and one clock. Thread-safe.
 *
 * <pre>{@code
 * Recorder recorder = Recorder.fromEnvironment();
 * EventLog log = recorder.log("setd");
 * log.set("r1", version);                       // a variable of this node changes
 * message.hlc = recorder.send("zk2", id);       // the clock travels with the message
 * recorder.receive("zk2", id, message.hlc);     // and moves the clock of the receiver
 * }</pre>
 *
 * <p>Recording never throws into the service, and never waits: when the ring is full, events are
 * dropped, counted, and visible as gaps in the sequence numbers. After {@link #close()} calls are
 * ignored and counted; the clock goes on.
 */
public final class Recorder implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(Recorder.class.getName());

  /** The log of the messages that {@link #send} and {@link #receive} record. */
  public static final String MESSAGE_LOG = "net";

  /** The log of what a node says of its own tracing; see {@link #caveat}. */
  public static final String OWN_LOG = "retroscope";

  /** The variable of {@link #OWN_LOG} that holds the caveats, a set of texts. */
  public static final String CAVEATS = "caveats";

  /** The longest text of a caveat, in characters. */
  private static final int MAX_CAVEAT_LENGTH = 200;

  /** How many logs are remembered; further ones only cost more each time. */
  static final int MAX_CACHED_LOGS = 1_000;

  private static final AtomicReference<@Nullable Recorder> SHARED = new AtomicReference<>();

  private final String node;
  private final String incarnation;
  private final HybridLogicalClock clock;
  private final EventSink sink;
  private final Duration closeTimeout;
  private final LongSupplier nanos;
  private final @Nullable NodeState state;

  private final Counters counters = new Counters();
  private final Admission admission;
  private final Repairs repairs = new Repairs(counters.unrepaired);
  private final EventRing ring;
  private final Drainer drainer;
  private final ConcurrentMap<String, EventLog> logs = new ConcurrentHashMap<>();
  private final EventLog messages;
  private final EventLog ownLog;
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile boolean closed;

  Recorder(RecorderBuilder.Plan plan) {
    node = plan.node();
    clock = plan.clock();
    sink = plan.sink();
    closeTimeout = plan.closeTimeout();
    nanos = plan.nanos();
    state = plan.state();
    incarnation = plan.start().incarnation();
    admission = new Admission(plan.maxTextLength(), counters);
    ring = new EventRing(plan.ringCapacity());
    messages = new EventLog(this, MESSAGE_LOG);
    ownLog = new EventLog(this, OWN_LOG);
    drainer =
        new Drainer(
            ring,
            clock,
            new BlockAssembler(node, incarnation, sink, counters),
            repairs,
            counters,
            plan.heartbeatInterval().toNanos(),
            nanos);
    record(EventKind.START, "", plan.start());
    Thread thread = new Thread(drainer, "retroscope-recorder-" + node);
    thread.setDaemon(true);
    thread.start();
  }

  /** A builder; what it is not told comes from the environment, see {@link RecorderBuilder}. */
  public static RecorderBuilder builder() {
    return new RecorderBuilder();
  }

  /**
   * A recorder as the environment and the system properties say, closed when the JVM ends.
   *
   * @throws IllegalArgumentException if one of them cannot be read; the message names it
   */
  public static Recorder fromEnvironment() {
    return builder().closeAtShutdown(true).build();
  }

  /**
   * The process's one recorder: the one that {@link #share} named, or else one made {@link
   * #fromEnvironment} when it is first asked for. Integrations that a framework makes by name use
   * it.
   *
   * @throws IllegalArgumentException as {@link #fromEnvironment}
   */
  public static Recorder shared() {
    synchronized (SHARED) {
      Recorder known = SHARED.get();
      if (known == null) {
        known = fromEnvironment();
        SHARED.set(known);
      }
      return known;
    }
  }

  /** Makes this the recorder that {@link #shared} gives. */
  public Recorder share() {
    synchronized (SHARED) {
      SHARED.set(this);
      return this;
    }
  }

  /** The node's name. */
  public String node() {
    return node;
  }

  /** Distinguishes this run of the node from its others. */
  public String incarnation() {
    return incarnation;
  }

  /** The node's one clock. */
  public HybridLogicalClock clock() {
    return clock;
  }

  /** A log by its name, 1 to 1000 characters; events of a log with another name are refused. */
  public EventLog log(String name) {
    EventLog known = Admission.isName(name) ? logs.get(name) : null;
    if (known != null) {
      return known;
    }
    EventLog log = new EventLog(this, name);
    if (Admission.isName(name) && logs.size() < MAX_CACHED_LOGS) {
      EventLog earlier = logs.putIfAbsent(name, log);
      return earlier == null ? log : earlier;
    }
    return log;
  }

  /** Advances the clock without recording anything; the packed stamp. */
  public long tick() {
    return clock.tick();
  }

  /**
   * Advances the clock past a stamp that came from elsewhere, without recording anything. A stamp
   * too far ahead is treated as the clock's policy says, and never thrown back.
   *
   * @return the packed stamp
   */
  public long observe(long remoteHlc) {
    HlcReading reading = new HlcReading();
    clock.observe(remoteHlc, reading);
    return reading.hlc;
  }

  /**
   * Records that a message leaves which is known by the stamp that it carries; the counterpart of
   * {@link #receive(String, long)}.
   *
   * @param to the receiving node, empty where it is not known
   * @return the packed stamp for the message to carry
   */
  public long send(String to) {
    return messages.send(to, "");
  }

  /**
   * Records that a message arrives which is known by the stamp that it carries, and moves the clock
   * past that.
   *
   * @param from the sending node, empty where it is not known
   * @param remoteHlc the packed stamp that the message carries
   * @return the packed stamp of the receive
   */
  public long receive(String from, long remoteHlc) {
    return messages.receive(from, HlcTimestamp.text(remoteHlc), remoteHlc);
  }

  /** {@link EventLog#send} in the log {@link #MESSAGE_LOG}. */
  public long send(String to, String id) {
    return messages.send(to, id);
  }

  /** {@link EventLog#receive} in the log {@link #MESSAGE_LOG}. */
  public long receive(String from, String id, long remoteHlc) {
    return messages.receive(from, id, remoteHlc);
  }

  /**
   * Records that answers over this node must carry a warning from now on, because its tracing is
   * incomplete: "the link to the followers is not traced". The same text again changes nothing.
   *
   * @param text completes "node n: ..."; cut to 200 characters
   */
  public void caveat(String text) {
    ownLog.add(CAVEATS, caveatText(text));
  }

  /** Records that a {@link #caveat} holds no longer. */
  public void clearCaveat(String text) {
    ownLog.remove(CAVEATS, caveatText(text));
  }

  private static String caveatText(String text) {
    return text.length() <= MAX_CAVEAT_LENGTH ? text : text.substring(0, MAX_CAVEAT_LENGTH);
  }

  /**
   * Counts an event that an integration should have recorded and could not. It takes a sequence
   * number, so that queries over this node report a gap.
   */
  public void missed() {
    counters.missed.increment();
    ring.skip();
  }

  Admission admission() {
    return admission;
  }

  void countRefused() {
    counters.refused.increment();
  }

  void countTruncated() {
    counters.truncated.increment();
  }

  /** The hot path: one change of one variable. */
  void change(
      VariableHandle variable,
      Operation operation,
      ValueType type,
      long bits,
      @Nullable Object payload) {
    Slot slot = claim();
    if (slot != null) {
      if (!repairs.isEmpty()) {
        repairs.supersede(variable, operation, payload);
      }
      clock.tick(slot);
      slot.change(variable, operation, type, bits, payload);
      if (slot.publish()) {
        return;
      }
    }
    if (!closed) {
      Value value = payload == null ? valueOf(type, bits) : admission.valueOf(payload);
      repairs.dropped(variable, new EventBody.Change(operation, variable.variable, value));
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

  /**
   * Records an event whose body is at hand; its packed stamp, or the clock's next for one that is
   * dropped.
   */
  long record(EventKind kind, String log, Object body) {
    Slot slot = claim();
    boolean recorded = false;
    long hlc;
    if (slot == null) {
      hlc = clock.tick();
    } else {
      if (!repairs.isEmpty() && body instanceof EventBody.StateChange state) {
        for (EventBody.Change change : state.changes()) {
          VariableHandle variable = new VariableHandle(log, change.variable());
          repairs.supersede(variable, change.operation(), change.value());
        }
      }
      clock.tick(slot);
      hlc = slot.hlc;
      slot.other(kind, 0, log, body, "");
      recorded = slot.publish();
    }
    if (!recorded && !closed && body instanceof EventBody.StateChange state) {
      for (EventBody.Change change : state.changes()) {
        repairs.dropped(new VariableHandle(log, change.variable()), change);
      }
    }
    return hlc;
  }

  long send(boolean recordable, String log, String to, String id) {
    Slot slot = recordable ? claim() : null;
    if (slot == null) {
      return clock.tick();
    }
    clock.tick(slot);
    long hlc = slot.hlc;
    slot.other(EventKind.SEND, 0, log, to, id);
    slot.publish();
    return hlc;
  }

  long receive(boolean recordable, String log, String from, String id, long remoteHlc) {
    Slot slot = recordable ? claim() : null;
    if (slot == null) {
      return observe(remoteHlc);
    }
    boolean ordered = clock.observe(remoteHlc, slot);
    long hlc = slot.hlc;
    slot.other(EventKind.RECEIVE, ordered ? 0 : EventMark.UNORDERED.bit(), log, from, id);
    slot.publish();
    return hlc;
  }

  private @Nullable Slot claim() {
    if (closed) {
      counters.afterClose.increment();
      return null;
    }
    Slot slot = ring.claim();
    if (slot == null) {
      counters.dropped.increment();
    }
    return slot;
  }

  /** What became of the calls so far. */
  public RecorderStatistics statistics() {
    return new RecorderStatistics(
        counters.recorded.sum(),
        counters.dropped.sum(),
        counters.abandoned.sum(),
        counters.refused.sum(),
        counters.truncated.sum(),
        counters.repaired.sum(),
        counters.unrepaired.sum(),
        counters.afterClose.sum(),
        counters.lostBySink.sum(),
        counters.missed.sum());
  }

  /**
   * Waits until everything recorded before the call has arrived where the sink delivers to.
   *
   * @return false if that had not happened when the time was up
   */
  public boolean flush(Duration timeout) {
    long start = nanos.getAsLong();
    if (!drainer.flush(timeout.toNanos())) {
      return false;
    }
    return sink.flush(timeout.minusNanos(nanos.getAsLong() - start));
  }

  /**
   * Records the node's stop, hands everything to the sink and closes that. What it has not
   * delivered when the close timeout is up goes the sink's way: to its spill, or lost. Never
   * throws; idempotent.
   *
   * <p>The clock goes on for messages still under way, but without a bound: an order between stamps
   * given out later and those of the node's next run is not promised.
   */
  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      closed = true;
      boolean complete = drainer.stop(closeTimeout.toNanos()) && counters.lostBySink.sum() == 0;
      closeState(closeSink() && complete);
    }
  }

  /** Whether nothing that the sink has accepted is lost. */
  private boolean closeSink() {
    try {
      sink.close();
      return sink.keepsUndelivered() || sink.flush(Duration.ZERO);
    } catch (RuntimeException e) {
      LOGGER.log(System.Logger.Level.WARNING, "the sink of node " + node + " did not close", e);
      return false;
    }
  }

  private void closeState(boolean complete) {
    try {
      if (state != null) {
        clock.settleBound();
        if (complete) {
          state.end(incarnation);
        }
        state.close();
      }
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.WARNING, "cannot write the state of node " + node, e);
    }
  }

  /** For logs: the node and its incarnation. */
  @Override
  public String toString() {
    return "Recorder[" + node + ", " + incarnation + ", " + HlcTimestamp.text(clock.last()) + "]";
  }
}
