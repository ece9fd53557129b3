package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.sink.EventSink;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

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
  /** The log of the messages that {@link #send} and {@link #receive} record. */
  public static final String MESSAGE_LOG = "net";

  /** The log of what a node says of its own tracing; see {@link #caveat}. */
  public static final String OWN_LOG = "retroscope";

  /** The variable of {@link #OWN_LOG} that holds the caveats, a set of texts. */
  public static final String CAVEATS = "caveats";

  /** How many logs are remembered; further ones only cost more each time. */
  static final int MAX_CACHED_LOGS = 1_000;

  private final String node;
  private final HybridLogicalClock clock;
  private final EventSink sink;
  private final LongSupplier nanos;
  private final boolean trustRemote;

  private final Counters counters = new Counters();
  private final Admission admission;
  private final Lifecycle lifecycle;
  private final ConcurrentMap<String, EventLog> logs = new ConcurrentHashMap<>();
  private final EventLog messages;
  private final Caveats caveats;
  private final ProcessTies ties;

  Recorder(RecorderPlan plan) {
    node = plan.node();
    clock = plan.clock();
    sink = plan.sink();
    nanos = plan.nanos();
    trustRemote = plan.trustRemote();
    admission = new Admission(plan.maxTextLength(), counters, nanos);
    messages = new EventLog(this, MESSAGE_LOG, true);
    caveats = new Caveats(new EventLog(this, OWN_LOG, true));
    lifecycle = new Lifecycle(plan, admission, counters);
    ties = new ProcessTies(this, plan);
    plan.caveats().forEach(this::caveat);
  }

  /** A builder; what it is not told comes from the environment, see {@link RecorderBuilder}. */
  public static RecorderBuilder builder() {
    return new RecorderBuilder();
  }

  /**
   * The process's one recorder, as the environment and the system properties say, closed when the
   * JVM ends: the same as {@link #shared}. Wrong settings do not make it throw, see {@link
   * RecorderBuilder}; {@link #health} reports them.
   *
   * @throws IllegalArgumentException if the settings say {@code strict} and one of them is wrong
   */
  public static Recorder fromEnvironment() {
    return shared();
  }

  /**
   * The process's one recorder: the one that {@link #share} named, or else one made from the
   * environment by the first call. Integrations that a framework makes by name use it.
   *
   * <p>It is shared until it is closed. The first call after that makes another from the
   * environment, a new incarnation of the node, and reports so in the log; whoever keeps the closed
   * one records no more. While the JVM ends, no other is made: calls get the closed one, or one
   * that does not record.
   *
   * @throws IllegalArgumentException as {@link #fromEnvironment}
   */
  public static Recorder shared() {
    return SharedRecorder.get();
  }

  /** Makes this the recorder that {@link #shared} gives. */
  public Recorder share() {
    SharedRecorder.set(this);
    return this;
  }

  /** The node's name. */
  public String node() {
    return node;
  }

  /** Distinguishes this run of the node from its others. */
  public String incarnation() {
    return lifecycle.run.incarnation;
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
    boolean keep = Admission.isName(name) && logs.size() < MAX_CACHED_LOGS;
    EventLog log = new EventLog(this, name, keep);
    if (keep) {
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
    caveats.add(text);
  }

  /** Records that a {@link #caveat} holds no longer. */
  public void clearCaveat(String text) {
    caveats.remove(text);
  }

  /**
   * Counts an event that an integration should have recorded and could not. It takes a sequence
   * number, so that queries over this node report a gap.
   */
  public void missed() {
    counters.missed.increment();
    lifecycle.run.ring.skip();
  }

  /** The entrance for stamps of requests, see {@link RecorderBuilder#trustRemote}. */
  public Ingress ingress() {
    return ingress(trustRemote);
  }

  /** An entrance that is trusted or not, whatever the recorder's settings say. */
  public Ingress ingress(boolean trusted) {
    return new Ingress(this, counters.untrusted, trusted);
  }

  Admission admission() {
    return admission;
  }

  /**
   * Counts an event that cannot be recorded as it is. It takes a sequence number, so that queries
   * over this node report a gap.
   */
  void countRefused() {
    counters.refused.increment();
    lifecycle.run.ring.skip();
  }

  void countTruncated() {
    counters.truncated.increment();
  }

  EventWriter writer() {
    return lifecycle.run.writer;
  }

  /** What became of the calls so far. */
  public RecorderStatistics statistics() {
    return counters.statistics(lifecycle.sinkStatistics(), clock);
  }

  /** Whether this recorder records, and with which losses. */
  public RecorderHealth health() {
    return lifecycle.health(caveats.texts());
  }

  void reportProblems() {
    lifecycle.reportProblems();
  }

  /**
   * Waits until everything recorded before the call has arrived where the sink delivers to.
   *
   * @return false if that had not happened when the time was up, if recorded events were lost since
   *     the last flush that reported a loss, or if this recorder cannot record
   */
  public boolean flush(Duration timeout) {
    long start = nanos.getAsLong();
    if (lifecycle.isSilent() || !lifecycle.run.drainer.flush(timeout.toNanos())) {
      return false;
    }
    return sink.flush(timeout.minusNanos(nanos.getAsLong() - start));
  }

  /**
   * Begins a new incarnation of the node, for a process that continues from a copy of another's
   * memory, before it does anything else: two processes with one incarnation number different
   * events alike. Called automatically after a restore where {@code org.crac} or {@code jdk.crac}
   * reports it. To all queries the node's variables are unset until they are set again.
   */
  public void restarted() {
    if (lifecycle.restart()) {
      caveats.repeat();
    }
  }

  /** Ends the incarnation before the process's memory is copied. */
  void suspend() {
    lifecycle.suspend();
  }

  void closedBy(ShutdownHook hook) {
    ties.add(hook);
  }

  /**
   * Records the node's stop, hands everything to the sink and closes that. What it has not
   * delivered when the close timeout is up goes the sink's way: to its spill, or lost. Losses are
   * reported in the log, while the JVM ends also on standard error. Never throws; idempotent; a
   * second call returns when the first is done.
   *
   * <p>The clock continues for messages still under way, but without a bound: an order between
   * stamps given out later and those of the node's next run is not promised.
   */
  @Override
  public void close() {
    if (lifecycle.close()) {
      ties.release();
    }
  }

  /** For logs: the node and its incarnation. */
  @Override
  public String toString() {
    return "Recorder[" + node + ", " + incarnation() + ", " + HlcTimestamp.text(clock.last()) + "]";
  }
}
