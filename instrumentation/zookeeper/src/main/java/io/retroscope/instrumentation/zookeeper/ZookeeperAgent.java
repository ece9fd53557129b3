package io.retroscope.instrumentation.zookeeper;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.Recorder;
import io.retroscope.recorder.RecorderBuilder;
import java.lang.instrument.Instrumentation;
import org.jspecify.annotations.Nullable;

/**
 * The Java agent: traces the ZooKeeper server of the process that it is loaded into.
 *
 * <pre>
 *   java -javaagent:retroscope-zookeeper-agent.jar=node=zk1,server=http://127.0.0.1:7340 ...
 * </pre>
 */
public final class ZookeeperAgent {
  private ZookeeperAgent() {}

  /**
   * Begins to trace. Never keeps the server from starting: what is wrong is said on standard error,
   * and the server then runs untraced.
   *
   * @param argument the options, see the module's README
   */
  public static void premain(@Nullable String argument, Instrumentation instrumentation) {
    try {
      AgentOptions options = AgentOptions.parse(argument, System.getenv());
      ServerHooks.install(new ServerTrace(options.traced(), recorder(options)));
      ServerWeaving.install(instrumentation);
    } catch (IllegalArgumentException e) {
      System.err.println(
          "retroscope: this server is not traced: the agent's options are wrong: "
              + e.getMessage());
    }
  }

  private static Recorder recorder(AgentOptions options) {
    RecorderBuilder builder = Recorder.builder().node(options.node()).closeAtShutdown(true);
    options.server().ifPresent(builder::server);
    options.file().ifPresent(builder::file);
    if (options.clockSkewMicros() != 0) {
      builder.physicalClock(PhysicalClock.system().skewedBy(options.clockSkewMicros()));
    }
    return builder.build();
  }
}
