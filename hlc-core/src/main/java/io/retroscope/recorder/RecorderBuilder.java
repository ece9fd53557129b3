package io.retroscope.recorder;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.sink.DeliveringSinkBuilder;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.FileSink;
import io.retroscope.sink.HttpSink;
import io.retroscope.sink.SinkProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says how a {@link Recorder} is to work. Whatever is not set here comes from the environment, else
 * from the system properties, else from the default:
 *
 * <table>
 * <caption>Settings in the order of precedence: builder, environment, system property</caption>
 * <tr><th>builder</th><th>environment</th><th>property</th><th>default</th></tr>
 * <tr><td>{@link #node}</td><td>RETROSCOPE_NODE</td><td>retroscope.node</td><td>host name</td></tr>
 * <tr><td>{@link #file}</td><td>RETROSCOPE_FILE</td><td>retroscope.file</td>
 *   <td>none: to the server</td></tr>
 * <tr><td>{@link #server}</td><td>RETROSCOPE_SERVER</td><td>retroscope.server</td>
 *   <td>http://127.0.0.1:7340</td></tr>
 * <tr><td>{@link #stateDirectory}</td><td>RETROSCOPE_STATE_DIRECTORY</td>
 *   <td>retroscope.state.directory</td><td>none</td></tr>
 * <tr><td>{@link #fsync}</td><td>RETROSCOPE_FSYNC</td><td>retroscope.fsync</td>
 *   <td>false</td></tr>
 * <tr><td>{@link #resetClock}</td><td>RETROSCOPE_RESET_CLOCK</td>
 *   <td>retroscope.reset.clock</td><td>false</td></tr>
 * <tr><td>{@link #ringCapacity}</td><td>RETROSCOPE_RING_CAPACITY</td>
 *   <td>retroscope.ring.capacity</td><td>65536</td></tr>
 * <tr><td>{@link #heartbeatInterval}</td><td>RETROSCOPE_HEARTBEAT_MILLIS</td>
 *   <td>retroscope.heartbeat.millis</td><td>20</td></tr>
 * <tr><td>{@link #maxTextLength}</td><td>RETROSCOPE_MAX_TEXT_LENGTH</td>
 *   <td>retroscope.max.text.length</td><td>8192</td></tr>
 * <tr><td>{@link #maxOffset}</td><td>RETROSCOPE_MAX_OFFSET_MILLIS</td>
 *   <td>retroscope.max.offset.millis</td><td>60000</td></tr>
 * <tr><td>{@link #remotePolicy}</td><td>RETROSCOPE_REMOTE_POLICY</td>
 *   <td>retroscope.remote.policy</td><td>refuse</td></tr>
 * <tr><td>{@link #trustRemote}</td><td>RETROSCOPE_TRUST</td>
 *   <td>retroscope.trust</td><td>on</td></tr>
 * <tr><td>{@link #closeTimeout}</td><td>RETROSCOPE_CLOSE_TIMEOUT_MILLIS</td>
 *   <td>retroscope.close.timeout.millis</td><td>5000</td></tr>
 * </table>
 *
 * <p>For tests and demonstrations only, RETROSCOPE_CLOCK_SKEW_MICROS (retroscope.clock.skew.micros)
 * makes the node's clock wrong by so much.
 */
public final class RecorderBuilder {
  private static final int DEFAULT_RING_CAPACITY = 1 << 16;
  private static final Duration DEFAULT_HEARTBEAT = Duration.ofMillis(20);
  private static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final int DEFAULT_MAX_TEXT_LENGTH = 8_192;

  private Settings settings = Settings.ofProcess();
  private LongSupplier nanos = System::nanoTime;
  private @Nullable String node;
  private @Nullable EventSink sink;
  private @Nullable Path file;
  private @Nullable URI server;
  private @Nullable ClassLoader sinkProviders = RecorderBuilder.class.getClassLoader();
  private @Nullable Path stateDirectory;
  private @Nullable Boolean fsync;
  private @Nullable Boolean resetClock;
  private @Nullable PhysicalClock physicalClock;
  private @Nullable Integer ringCapacity;
  private @Nullable Duration heartbeatInterval;
  private @Nullable Integer maxTextLength;
  private @Nullable Duration maxOffset;
  private @Nullable RemotePolicy remotePolicy;
  private @Nullable Boolean trustRemote;
  private @Nullable Duration closeTimeout;
  private boolean closeAtShutdown;

  RecorderBuilder() {}

  /** Everything decided: what the recorder is made of. */
  record Plan(
      String node,
      HybridLogicalClock clock,
      EventSink sink,
      int ringCapacity,
      int maxTextLength,
      Duration heartbeatInterval,
      Duration closeTimeout,
      EventBody.Start start,
      boolean trustRemote,
      @Nullable NodeState state,
      LongSupplier nanos) {}

  /** The node's name, 1 to 200 characters, unique in the cluster and the same at every start. */
  public RecorderBuilder node(String node) {
    this.node = node;
    return this;
  }

  /** Where the blocks go, instead of to a file or a server. The recorder closes it. */
  public RecorderBuilder sink(EventSink sink) {
    this.sink = sink;
    return this;
  }

  /** Records into a file, see {@link FileSink}. */
  public RecorderBuilder file(Path file) {
    this.file = file;
    return this;
  }

  /**
   * Sends to the log server at this address, see {@link HttpSink}; or to where a {@link
   * SinkProvider} for the address's scheme says.
   */
  public RecorderBuilder server(URI server) {
    this.server = server;
    return this;
  }

  /** Where sink providers are looked for; by default where this class comes from. */
  public RecorderBuilder sinkProviders(ClassLoader loader) {
    this.sinkProviders = loader;
    return this;
  }

  /**
   * Where the node keeps what must survive a restart: what the log server has not taken yet. Of
   * this node alone; created where it is missing.
   */
  public RecorderBuilder stateDirectory(Path directory) {
    this.stateDirectory = directory;
    return this;
  }

  /** Whether the state also survives a power loss, at an fsync a hundred milliseconds or so. */
  public RecorderBuilder fsync(boolean fsync) {
    this.fsync = fsync;
    return this;
  }

  /**
   * Whether to begin at the machine's time although the node has given out later stamps, and so
   * give up the order with these. The incarnation's name ends in "-reset".
   */
  public RecorderBuilder resetClock(boolean resetClock) {
    this.resetClock = resetClock;
    return this;
  }

  /** The clock beneath the hybrid logical clock; for tests. */
  public RecorderBuilder physicalClock(PhysicalClock clock) {
    this.physicalClock = clock;
    return this;
  }

  /** How many events wait to be drained at most: a power of two from 2 to 2^24. */
  public RecorderBuilder ringCapacity(int capacity) {
    this.ringCapacity = capacity;
    return this;
  }

  /** How long events are gathered, and how often an idle node is heard from. */
  public RecorderBuilder heartbeatInterval(Duration interval) {
    this.heartbeatInterval = interval;
    return this;
  }

  /** Where texts are cut, in characters, 1 or more. */
  public RecorderBuilder maxTextLength(int length) {
    this.maxTextLength = length;
    return this;
  }

  /** How far a remote stamp may be ahead of this node's clock. */
  public RecorderBuilder maxOffset(Duration maxOffset) {
    this.maxOffset = maxOffset;
    return this;
  }

  /** What happens to remote stamps further ahead. */
  public RecorderBuilder remotePolicy(RemotePolicy policy) {
    this.remotePolicy = policy;
    return this;
  }

  /**
   * Whether the stamps of incoming requests move this node's clock; true by default. Set to false
   * where requests come from outside the cluster: anyone could set the clocks of all nodes forward.
   * It decides for servlet filters, gRPC servers and OpenTelemetry's propagator, unless these are
   * told otherwise, see {@link Recorder#ingress(boolean)}. Answers to the node's own requests are
   * followed in any case.
   */
  public RecorderBuilder trustRemote(boolean trustRemote) {
    this.trustRemote = trustRemote;
    return this;
  }

  /** How long {@link Recorder#close()} waits for what is not delivered yet. */
  public RecorderBuilder closeTimeout(Duration timeout) {
    this.closeTimeout = timeout;
    return this;
  }

  /** Whether to close the recorder when the JVM ends in an orderly way; false by default. */
  public RecorderBuilder closeAtShutdown(boolean closeAtShutdown) {
    this.closeAtShutdown = closeAtShutdown;
    return this;
  }

  RecorderBuilder settings(Settings settings) {
    this.settings = settings;
    return this;
  }

  RecorderBuilder nanos(LongSupplier nanos) {
    this.nanos = nanos;
    return this;
  }

  /**
   * Starts recording.
   *
   * @throws IllegalArgumentException if a setting is out of range; the message names it
   * @throws io.retroscope.clock.ClockBoundException if the node's clock cannot begin, see {@link
   *     #resetClock}
   * @throws UncheckedIOException if a file or directory cannot be used
   */
  public Recorder build() {
    Recorder recorder = new Recorder(plan());
    if (closeAtShutdown) {
      Runtime.getRuntime()
          .addShutdownHook(new Thread(recorder::close, "retroscope-recorder-shutdown"));
    }
    return recorder;
  }

  private Plan plan() {
    String name = node != null ? node : settings.text("node").orElseGet(RecorderBuilder::hostName);
    if (name.isEmpty() || name.length() > Event.MAX_NODE_LENGTH) {
      throw new IllegalArgumentException(
          "node must have 1 to " + Event.MAX_NODE_LENGTH + " characters: \"" + name + "\"");
    }
    int capacity =
        EventRing.checkCapacity(number("ring.capacity", ringCapacity, DEFAULT_RING_CAPACITY));
    int textLength = number("max.text.length", maxTextLength, DEFAULT_MAX_TEXT_LENGTH);
    Duration heartbeat = millis("heartbeat.millis", heartbeatInterval, DEFAULT_HEARTBEAT);
    Duration close = millis("close.timeout.millis", closeTimeout, DEFAULT_CLOSE_TIMEOUT);
    NodeState state = openState();
    try {
      HybridLogicalClock clock = clock(state);
      EventBody.Start start = start(clock, state);
      EventSink to = sink != null ? sink : configuredSink(state, close);
      boolean trust = trustRemote != null ? trustRemote : settings.truth("trust").orElse(true);
      return new Plan(
          name, clock, to, capacity, textLength, heartbeat, close, start, trust, state, nanos);
    } catch (RuntimeException e) {
      closeQuietly(state, e);
      throw e;
    }
  }

  private @Nullable NodeState openState() {
    Path directory =
        stateDirectory != null
            ? stateDirectory
            : settings.text("state.directory").map(Path::of).orElse(null);
    try {
      return directory == null ? null : new NodeState(directory, truth("fsync", fsync));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot use " + directory + ": " + e.getMessage(), e);
    }
  }

  private static void closeQuietly(@Nullable NodeState state, RuntimeException cause) {
    try {
      if (state != null) {
        state.close();
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  private EventBody.Start start(HybridLogicalClock clock, @Nullable NodeState state) {
    String incarnation = incarnation(clock.tick());
    if (truth("reset.clock", resetClock)) {
      incarnation += "-reset";
    }
    if (state == null) {
      return new EventBody.Start(incarnation, clock.floor(), "", EventBody.Spill.COMPLETE);
    }
    try {
      state.begin(incarnation);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the node's state: " + e.getMessage(), e);
    }
    return new EventBody.Start(
        incarnation, clock.floor(), state.predecessor(), state.predecessorSpill());
  }

  private EventSink configuredSink(@Nullable NodeState state, Duration close) {
    Path into = file != null ? file : settings.text("file").map(Path::of).orElse(null);
    if (into != null && server == null) {
      return new FileSink(into);
    }
    URI to =
        server != null
            ? server
            : settings.text("server").map(URI::create).orElse(HttpSink.DEFAULT_SERVER);
    DeliveringSinkBuilder<?> sending = SinkProvider.builder(to, sinkProviders).closeTimeout(close);
    if (state != null) {
      sending.spill(state.spillDirectory(), DeliveringSinkBuilder.DEFAULT_MAX_SPILL_BYTES);
    }
    return sending.build();
  }

  private HybridLogicalClock clock(@Nullable NodeState state) {
    long skewMicros = settings.number("clock.skew.micros").orElse(0L);
    PhysicalClock machine = physicalClock != null ? physicalClock : PhysicalClock.system();
    PhysicalClock physical = skewMicros == 0 ? machine : machine.skewedBy(skewMicros);
    Duration most = Duration.ofNanos(HybridLogicalClock.DEFAULT_MAX_OFFSET_MICROS * 1_000);
    long offsetMicros = millis("max.offset.millis", maxOffset, most).toNanos() / 1_000;
    RemotePolicy policy =
        remotePolicy != null
            ? remotePolicy
            : settings.constant("remote.policy", RemotePolicy.class).orElse(RemotePolicy.REFUSE);
    if (state == null) {
      return new HybridLogicalClock(physical, offsetMicros, policy);
    }
    try {
      boolean reset = truth("reset.clock", resetClock);
      return HybridLogicalClock.restored(physical, offsetMicros, policy, state.bound(), reset);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot restore the node's clock: " + e.getMessage(), e);
    }
  }

  private boolean truth(String name, @Nullable Boolean set) {
    return set != null ? set : settings.truth(name).orElse(false);
  }

  private int number(String name, @Nullable Integer set, int otherwise) {
    long value = set != null ? set : settings.number(name).orElse((long) otherwise);
    if (value < 1 || value > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(name + " must be at least 1: " + value);
    }
    return (int) value;
  }

  private Duration millis(String name, @Nullable Duration set, Duration otherwise) {
    Duration value = set != null ? set : settings.millis(name).orElse(otherwise);
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(name + " must be positive: " + value);
    }
    return value;
  }

  /** The start's stamp orders a node's incarnations; the random bits tell clones apart. */
  private static String incarnation(long startHlc) {
    int random = new SecureRandom().nextInt();
    return Long.toHexString(HlcTimestamp.toWire(startHlc)) + "-" + Integer.toHexString(random);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "the host has no name; set RETROSCOPE_NODE to this node's name", e);
    }
  }
}
