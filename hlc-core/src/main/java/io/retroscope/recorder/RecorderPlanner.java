// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.ClockBound;
import io.retroscope.clock.ClockBoundException;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recorder.NodeState.Bounds;
import io.retroscope.sink.DeliveringSinkBuilder;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.FileSink;
import io.retroscope.sink.HttpSink;
import io.retroscope.sink.HttpSinkBuilder;
import io.retroscope.sink.Pace;
import io.retroscope.sink.ServerAddress;
import io.retroscope.sink.SinkProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The resolution of a recorder's settings: from its builder, otherwise from the environment and
 * system properties, otherwise the defaults.
 *
 * <p>An invalid setting or a damaged file must stop neither the service nor its logging, which may
 * depend on the recorder. It is therefore reported as a problem, and the recorder falls back: it
 * ignores the setting, or the state of an earlier run, or as a last resort does not record. Strict
 * mode throws instead.
 */
final class RecorderPlanner {
  private static final int DEFAULT_RING_CAPACITY = 1 << 16;
  private static final long DEFAULT_RING_MAX_BYTES =
      Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);
  private static final Duration DEFAULT_HEARTBEAT = Duration.ofMillis(20);
  private static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration DEFAULT_MAX_OFFSET =
      Duration.ofNanos(HybridLogicalClock.DEFAULT_MAX_OFFSET_MICROS * 1_000);
  private static final int DEFAULT_MAX_TEXT_LENGTH = 8_192;
  private static final String ADDRESS = "an address like http://host:7340 or host:7340";

  private final RecorderBuilder builder;
  private final List<String> problems = new ArrayList<>();
  private final List<String> caveats = new ArrayList<>();
  private final boolean strict;
  private final Settings settings;
  private final Duration closeTimeout;
  private boolean reset;

  /** The reason why nothing can be recorded; empty if the recorder can record. */
  private String silence = "";

  /** The setting that names the destination of events, empty if the builder does. */
  private String destination = "";

  RecorderPlanner(RecorderBuilder builder) {
    this.builder = builder;
    Settings tolerant = builder.settings.tolerant(problems);
    strict = builder.strict != null ? builder.strict : tolerant.truth("strict").orElse(false);
    settings = strict ? builder.settings : tolerant;
    closeTimeout = millis("close.timeout.millis", builder.closeTimeout, DEFAULT_CLOSE_TIMEOUT);
    reset = truth("reset.clock", builder.resetClock);
  }

  /**
   * The parts, with their files and connections open.
   *
   * @throws IllegalArgumentException if the builder was given a value out of range
   */
  RecorderPlan plan() {
    String node = node();
    int capacity = ringCapacity();
    long ringMaxBytes = ringMaxBytes();
    int textLength = maxTextLength();
    Pace pace = pace();
    boolean jmx = settings.truth("jmx").orElse(true);
    boolean trust = trustRemote();
    MessageSample sample = sample();
    NodeState state = openState();
    EventSink sink = null;
    try {
      HybridLogicalClock clock = clock(state);
      sink = sink(state);
      EventBody.Start start = start(clock, silence.isEmpty() ? state : null);
      clock.keepBound("retroscope-clock-" + node);
      return new RecorderPlan(
          node,
          clock,
          sink,
          silence.isEmpty() ? capacity : EventRing.MIN_CAPACITY,
          ringMaxBytes,
          textLength,
          pace,
          closeTimeout,
          start,
          state,
          builder.nanos,
          List.copyOf(problems),
          List.copyOf(caveats),
          silence,
          trust,
          sample,
          jmx);
    } catch (RuntimeException e) {
      release(state, sink, e);
      throw e;
    }
  }

  /**
   * The parts of a recorder that only has a clock.
   *
   * @param reason the reason why it does not record
   */
  RecorderPlan silentPlan(String reason) {
    HybridLogicalClock clock = clock(null);
    return new RecorderPlan(
        node(),
        clock,
        new SilentSink(),
        EventRing.MIN_CAPACITY,
        ringMaxBytes(),
        maxTextLength(),
        Pace.of(DEFAULT_HEARTBEAT, false),
        closeTimeout,
        start(clock, null),
        null,
        builder.nanos,
        List.copyOf(problems),
        List.of(),
        reason,
        trustRemote(),
        MessageSample.ALL,
        false);
  }

  private static void release(
      @Nullable NodeState state, @Nullable EventSink sink, RuntimeException cause) {
    try {
      if (sink != null) {
        sink.close();
      }
      if (state != null) {
        state.close();
      }
    } catch (IOException | RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  private String node() {
    if (builder.node != null) {
      return checkNode(builder.node);
    }
    return settings
        .parsed("node", "a name of 1 to " + Event.MAX_NODE_LENGTH + " characters", this::checkNode)
        .orElseGet(() -> NodeName.byDefault(settings, builder.host, problems));
  }

  private String checkNode(String name) {
    if (name.isEmpty() || name.length() > Event.MAX_NODE_LENGTH) {
      throw new IllegalArgumentException(
          "node must have 1 to " + Event.MAX_NODE_LENGTH + " characters: \"" + name + "\"");
    }
    return name;
  }

  private int ringCapacity() {
    return builder.ringCapacity != null
        ? EventRing.checkCapacity(builder.ringCapacity)
        : settings
            .parsed(
                "ring.capacity",
                "a power of two from " + EventRing.MIN_CAPACITY + " to " + EventRing.MAX_CAPACITY,
                text -> EventRing.checkCapacity(Integer.parseInt(text)))
            .orElse(DEFAULT_RING_CAPACITY);
  }

  private long ringMaxBytes() {
    Long set = builder.ringMaxBytes;
    if (set != null && set < 1) {
      throw new IllegalArgumentException("ring.max.bytes must be at least 1: " + set);
    }
    return set != null
        ? set
        : settings.number("ring.max.bytes", 1, Long.MAX_VALUE).orElse(DEFAULT_RING_MAX_BYTES);
  }

  private Pace pace() {
    Duration set = builder.heartbeatInterval;
    if (set != null) {
      return Pace.of(millis("heartbeat.millis", set, set), true);
    }
    return settings
        .millis("heartbeat.millis")
        .map(interval -> Pace.of(interval, true))
        .orElse(Pace.of(DEFAULT_HEARTBEAT, false));
  }

  private int maxTextLength() {
    if (builder.maxTextLength != null && builder.maxTextLength < 1) {
      throw new IllegalArgumentException(
          "max.text.length must be at least 1: " + builder.maxTextLength);
    }
    return builder.maxTextLength != null
        ? builder.maxTextLength
        : settings
            .number("max.text.length", 1, Integer.MAX_VALUE)
            .map(Long::intValue)
            .orElse(DEFAULT_MAX_TEXT_LENGTH);
  }

  private boolean truth(String name, @Nullable Boolean set) {
    return set != null ? set : settings.truth(name).orElse(false);
  }

  /**
   * An unreadable setting is treated as false, because it was meant to change the default, which is
   * true.
   */
  private boolean trustRemote() {
    if (builder.trustRemote != null) {
      return builder.trustRemote;
    }
    return settings.truth("trust").orElse(builder.settings.text("trust").isEmpty());
  }

  private MessageSample sample() {
    return builder.messages != null
        ? MessageSample.of(builder.messages)
        : settings
            .parsed(
                "messages",
                "on, off, or a share from " + MessageSample.MIN_SHARE + " to 1",
                MessageSample::parse)
            .orElse(MessageSample.ALL);
  }

  private Duration millis(String name, @Nullable Duration set, Duration otherwise) {
    if (set != null && (set.isZero() || set.isNegative())) {
      throw new IllegalArgumentException(name + " must be positive: " + set);
    }
    return set != null ? set : settings.millis(name).orElse(otherwise);
  }

  private @Nullable NodeState openState() {
    Path directory =
        builder.stateDirectory != null
            ? builder.stateDirectory
            : settings.parsed("state.directory", "a directory", Path::of).orElse(null);
    boolean fsync = truth("fsync", builder.fsync);
    Bounds bounds =
        builder.bounds != null ? builder.bounds : clock -> ClockBound.inFile(clock, fsync);
    try {
      return directory == null
          ? null
          : new NodeState(directory, fsync ? Fsync.DISK : Fsync.NONE, bounds);
    } catch (IOException e) {
      unbound(new UncheckedIOException("cannot use " + directory + ": " + e.getMessage(), e));
      return null;
    }
  }

  /** Continues without the state of an earlier run, unless strict. */
  private void unbound(RuntimeException cause) {
    without("no restart bound", "the order with this node's earlier runs is not guaranteed", cause);
  }

  private void without(String what, String consequence, RuntimeException cause) {
    if (strict) {
      throw cause;
    }
    String caveat = what + ": " + cause.getMessage();
    problems.add(caveat + "; " + consequence);
    caveats.add(caveat);
  }

  private HybridLogicalClock clock(@Nullable NodeState state) {
    PhysicalClock physical = physicalClock();
    long offsetMicros =
        millis("max.offset.millis", builder.maxOffset, DEFAULT_MAX_OFFSET).toNanos() / 1_000;
    RemotePolicy policy =
        builder.remotePolicy != null
            ? builder.remotePolicy
            : settings.constant("remote.policy", RemotePolicy.class).orElse(RemotePolicy.REFUSE);
    if (state == null) {
      return new HybridLogicalClock(physical, offsetMicros, policy);
    }
    try {
      if (!reset) {
        return HybridLogicalClock.restored(physical, offsetMicros, policy, state.bound());
      }
    } catch (ClockBoundException e) {
      unbound(e);
      reset = true;
    } catch (IOException e) {
      unbound(new UncheckedIOException("cannot restore the node's clock: " + e.getMessage(), e));
    }
    // Gives the next run a bound again.
    return HybridLogicalClock.reset(physical, offsetMicros, policy, state.bound());
  }

  private PhysicalClock physicalClock() {
    long skewMicros =
        settings.number("clock.skew.micros", Long.MIN_VALUE, Long.MAX_VALUE).orElse(0L);
    PhysicalClock machine =
        builder.physicalClock != null ? builder.physicalClock : PhysicalClock.system();
    return skewMicros == 0 ? machine : machine.skewedBy(skewMicros);
  }

  private EventBody.Start start(HybridLogicalClock clock, @Nullable NodeState state) {
    String name = RecorderBuilder.incarnation(clock.tick()) + (reset ? "-reset" : "");
    if (state != null) {
      try {
        checkPredecessor(state);
        state.begin(name);
        return new EventBody.Start(
            name, clock.floor(), state.predecessor(), state.predecessorSpill());
      } catch (IOException e) {
        unbound(new UncheckedIOException("cannot write the node's state: " + e.getMessage(), e));
      }
    }
    return new EventBody.Start(name, clock.floor(), "", EventBody.Spill.COMPLETE);
  }

  private void checkPredecessor(NodeState state) {
    try {
      state.checkPredecessor();
    } catch (IOException e) {
      without(
          "the earlier run is unknown",
          "its losses are unknown as well",
          new UncheckedIOException(e.getMessage(), e));
    }
  }

  private EventSink sink(@Nullable NodeState state) {
    if (builder.sink != null) {
      return builder.sink;
    }
    try {
      return configuredSink(state);
    } catch (RuntimeException | LinkageError e) {
      boolean callersMistake = builder.server != null && e instanceof IllegalArgumentException;
      if (strict || callersMistake) {
        throw e;
      }
      silence = reason(e);
      return new SilentSink();
    }
  }

  private String reason(Throwable failure) {
    String message =
        failure.getMessage() == null || failure instanceof LinkageError
            ? failure.toString()
            : failure.getMessage();
    return destination.isEmpty() || message.contains(destination)
        ? message
        : destination + ": " + message;
  }

  private EventSink configuredSink(@Nullable NodeState state) {
    if (builder.server != null) {
      return sending(builder.server, state);
    }
    if (builder.file != null) {
      return new FileSink(builder.file);
    }
    // This does not use the tolerant settings, because the default is a different destination, to
    // which nothing may be sent without being configured.
    Settings exact = builder.settings;
    destination = Settings.names("file");
    Optional<Path> file = exact.parsed("file", "a file's path", Path::of);
    if (file.isPresent()) {
      return new FileSink(file.get());
    }
    destination = Settings.names("server");
    Optional<URI> server = exact.parsed("server", ADDRESS, ServerAddress::parse);
    return sending(server.orElse(HttpSink.DEFAULT_SERVER), state);
  }

  private EventSink sending(URI server, @Nullable NodeState state) {
    if (state != null) {
      try {
        return sender(server).spill(state.spillDirectory(), maxSpillBytes()).build();
      } catch (UncheckedIOException e) {
        if (strict) {
          throw e;
        }
        problems.add(e.getMessage() + "; blocks for the log server are queued in memory only");
      }
    }
    return sender(server).build();
  }

  private DeliveringSinkBuilder<?> sender(URI server) {
    long bytes =
        settings
            .number("max.memory.bytes", 1, Long.MAX_VALUE)
            .orElse(DeliveringSinkBuilder.DEFAULT_MAX_MEMORY_BYTES);
    DeliveringSinkBuilder<?> sender =
        SinkProvider.builder(server, builder.sinkProviders)
            .closeTimeout(closeTimeout)
            .maxMemoryBytes(bytes);
    if (sender instanceof HttpSinkBuilder http) {
      new SenderCredentials(settings, strict, problems).addTo(http);
    }
    return sender;
  }

  private long maxSpillBytes() {
    return settings
        .number("max.spill.bytes", 1, Long.MAX_VALUE)
        .orElse(DeliveringSinkBuilder.DEFAULT_MAX_SPILL_BYTES);
  }
}
