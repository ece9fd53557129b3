package io.retroscope.instrumentation.zookeeper;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;
import static net.bytebuddy.matcher.ElementMatchers.takesNoArguments;

import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.List;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.utility.JavaModule;
import org.jspecify.annotations.Nullable;

/** Weaves the hooks into ZooKeeper's classes as they are loaded, or into those that already are. */
final class ServerWeaving {
  private static final System.Logger LOGGER = System.getLogger(ServerWeaving.class.getName());
  private static final String SERVER = "org.apache.zookeeper.server.";

  private static final List<JoinPoint> JOIN_POINTS =
      List.of(
          new JoinPoint(
              "DataTree",
              "processTxn",
              takesArgument(2, boolean.class),
              ServerAdvice.ProcessTxn.class),
          new JoinPoint(
              "ZooKeeperServer", "startup", takesNoArguments(), ServerAdvice.Startup.class),
          new JoinPoint(
              "ZooKeeperServer",
              "shutdown",
              takesArguments(boolean.class),
              ServerAdvice.Shutdown.class),
          new JoinPoint("quorum.Leader", "propose", takesArguments(1), ServerAdvice.Propose.class),
          new JoinPoint(
              "quorum.QuorumPacket", "serialize", takesArguments(2), ServerAdvice.Serialize.class),
          new JoinPoint(
              "quorum.QuorumPacket",
              "deserialize",
              takesArguments(2),
              ServerAdvice.Deserialize.class));

  private ServerWeaving() {}

  static void install(Instrumentation instrumentation) {
    AgentBuilder builder =
        new AgentBuilder.Default()
            .disableClassFormatChanges()
            .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
            .with(new Complaints());
    for (JoinPoint point : JOIN_POINTS) {
      builder = builder.type(named(point.type())).transform(point::weave);
    }
    builder.installOn(instrumentation);
  }

  /** One method of ZooKeeper's and the advice for it. */
  private record JoinPoint(
      String type, String method, ElementMatcher<MethodDescription> signature, String advice) {
    JoinPoint(
        String type, String method, ElementMatcher<MethodDescription> signature, Class<?> advice) {
      this(SERVER + type, method, signature, advice.getName());
    }

    DynamicType.Builder<?> weave(
        DynamicType.Builder<?> target,
        TypeDescription description,
        @Nullable ClassLoader loader,
        @Nullable JavaModule module,
        ProtectionDomain domain) {
      ElementMatcher.Junction<MethodDescription> matcher = named(method).and(signature);
      if (description.getDeclaredMethods().filter(matcher).isEmpty()) {
        LOGGER.log(
            System.Logger.Level.WARNING,
            "{0}.{1} is not as in ZooKeeper 3.9: it is not traced",
            type,
            method);
      }
      // By name: looking at the advice's own methods would load the class that is being loaded.
      return new AgentBuilder.Transformer.ForAdvice()
          .include(ServerWeaving.class.getClassLoader())
          .advice(matcher, advice)
          .transform(target, description, loader, module, domain);
    }
  }

  /** A class that cannot be woven is left as it is, and said. */
  private static final class Complaints extends AgentBuilder.Listener.Adapter {
    @Override
    public void onError(
        String type,
        @Nullable ClassLoader loader,
        @Nullable JavaModule module,
        boolean loaded,
        Throwable e) {
      LOGGER.log(System.Logger.Level.WARNING, "cannot trace " + type, e);
    }
  }
}
