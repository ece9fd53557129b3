// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.Recorder;
import io.retroscope.recorder.RecorderBuilder;
import io.retroscope.recorder.RecorderHealth;
import java.lang.instrument.Instrumentation;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The Java agent, which traces the ZooKeeper server of the process into which it is loaded.
 * Thread-safe; a second one in the same JVM is ignored.
 *
 * <pre>
 *   java -javaagent:retroscope-zookeeper-agent.jar=node=zk1,server=http://127.0.0.1:7340 ...
 * </pre>
 */
public final class ZookeeperAgent {
  private static final AtomicBoolean LOADED = new AtomicBoolean();

  private ZookeeperAgent() {}

  /**
   * Starts tracing. Never prevents the server from starting: problems are reported on standard
   * error, and the server then runs untraced.
   *
   * @param argument the options, see the module's README
   */
  public static void premain(@Nullable String argument, Instrumentation instrumentation) {
    try {
      AgentOptions options = AgentOptions.parse(argument, System.getenv());
      if (LOADED.compareAndSet(false, true)) {
        begin(options, instrumentation);
      } else {
        System.err.println(
            "retroscope: this JVM loads the agent twice; the second one, with \""
                + argument
                + "\", is ignored");
      }
    } catch (IllegalArgumentException e) {
      System.err.println(
          "retroscope: this server is not traced: the agent's options are invalid: "
              + e.getMessage());
    } catch (Throwable e) {
      System.err.println("retroscope: this server is not traced: " + e);
    }
  }

  private static void begin(AgentOptions options, Instrumentation instrumentation) {
    Recorder recorder = recorder(options);
    if (recorder.health().status() == RecorderHealth.Status.NOT_RECORDING) {
      System.err.println("retroscope: this server is not traced: " + recorder.health());
      return;
    }
    SuppressedErrors.install(recorder);
    Untraced untraced = new Untraced(recorder);
    if (!TracedServers.isInReach()) {
      untraced.add(
          "ZooKeeper, which is not on the JVM's class path,",
          "put its jars there instead of into a separate class loader");
      return;
    }
    try {
      ServingWatch watch = new ServingWatch(recorder, PhysicalClock.system());
      ServerHooks.install(new ServerTrace(options.traced(), recorder, watch));
      new ServerWeaving(untraced).agent().installOn(instrumentation);
    } catch (RuntimeException | LinkageError e) {
      untraced.add("this server", e);
    }
  }

  private static Recorder recorder(AgentOptions options) {
    RecorderBuilder builder = Recorder.builder().node(options.node()).closeAtShutdown(true);
    options.server().ifPresent(server -> send(builder, server));
    options.file().ifPresent(builder::file);
    if (options.clockSkewMicros() != 0) {
      builder.physicalClock(PhysicalClock.system().skewedBy(options.clockSkewMicros()));
    }
    return builder.build();
  }

  private static void send(RecorderBuilder builder, URI server) {
    builder.server(server);
    String scheme = server.getScheme().toLowerCase(Locale.ROOT);
    if (!scheme.startsWith("http")) {
      builder.sinkProviders(extension(scheme));
    }
  }

  /**
   * The class loader of {@code retroscope-zookeeper-agent-<scheme>.jar}, beside the agent's own
   * jar. Its classes are not visible to the server's classes.
   */
  private static ClassLoader extension(String scheme) {
    String name = "retroscope-zookeeper-agent-" + scheme + ".jar";
    try {
      URI own = ZookeeperAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      Path jar = Path.of(own).resolveSibling(name);
      if (!Files.isRegularFile(jar)) {
        throw new IllegalArgumentException(
            "server: %s: addresses require %s, which is missing".formatted(scheme, jar));
      }
      return new URLClassLoader(
          new URL[] {jar.toUri().toURL()}, ZookeeperAgent.class.getClassLoader());
    } catch (URISyntaxException | MalformedURLException e) {
      throw new IllegalArgumentException("server: cannot look for " + name, e);
    }
  }
}
