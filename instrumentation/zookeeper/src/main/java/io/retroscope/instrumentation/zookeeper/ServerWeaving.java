// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;
import static net.bytebuddy.matcher.ElementMatchers.takesNoArguments;

import java.security.ProtectionDomain;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.bytecode.StackManipulation;
import net.bytebuddy.implementation.bytecode.constant.TextConstant;
import net.bytebuddy.implementation.bytecode.member.MethodInvocation;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.utility.JavaModule;
import org.jspecify.annotations.Nullable;

/**
 * The weaving of the hooks into ZooKeeper's classes when they are loaded, or into those that are
 * already loaded.
 */
final class ServerWeaving {
  private static final String SERVER = "org.apache.zookeeper.server.";

  private static final List<JoinPoint> JOIN_POINTS =
      List.of(
          JoinPoint.of(
              "DataTree",
              "processTxn",
              takesArgument(2, boolean.class),
              ServerAdvice.ProcessTxn.class),
          JoinPoint.of(
              "ZooKeeperServer", "startup", takesNoArguments(), ServerAdvice.Startup.class),
          // Up to 3.9.2 a follower calls this instead of startup().
          JoinPoint.of(
                  "ZooKeeperServer", "startServing", takesNoArguments(), ServerAdvice.Startup.class)
              .whereThereIsOne(),
          JoinPoint.of(
              "ZooKeeperServer",
              "shutdown",
              takesArguments(boolean.class),
              ServerAdvice.Shutdown.class),
          JoinPoint.of("quorum.Leader", "propose", takesArguments(1), ServerAdvice.Propose.class),
          JoinPoint.of(
              "quorum.QuorumPacket", "serialize", takesArguments(2), ServerAdvice.Serialize.class),
          JoinPoint.of(
              "quorum.QuorumPacket",
              "deserialize",
              takesArguments(2),
              ServerAdvice.Deserialize.class));

  private static final Map<String, List<JoinPoint>> BY_TYPE =
      JOIN_POINTS.stream().collect(Collectors.groupingBy(JoinPoint::type));

  private final Untraced untraced;
  private final TracedServers servers;

  ServerWeaving(Untraced untraced) {
    this.untraced = untraced;
    this.servers = new TracedServers(BY_TYPE.keySet(), untraced);
  }

  /** The agent builder that weaves once it is installed. */
  AgentBuilder agent() {
    return new AgentBuilder.Default()
        .disableClassFormatChanges()
        .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
        .with(new Complaints())
        .type(
            (type, loader, module, loaded, domain) ->
                BY_TYPE.containsKey(type.getName()) && servers.contains(loader))
        .transform(this::weave);
  }

  private DynamicType.Builder<?> weave(
      DynamicType.Builder<?> target,
      TypeDescription type,
      @Nullable ClassLoader loader,
      @Nullable JavaModule module,
      ProtectionDomain domain) {
    DynamicType.Builder<?> woven = target;
    for (JoinPoint point : BY_TYPE.getOrDefault(type.getName(), List.of())) {
      if (!type.getDeclaredMethods().filter(point.matcher()).isEmpty()) {
        woven = point.advice().transform(woven, type, loader, module, domain);
      } else if (point.isRequired()) {
        untraced.add(point.place(), "this version of ZooKeeper does not have this method");
      }
    }
    return woven;
  }

  /** One method of ZooKeeper and the advice for it. */
  private record JoinPoint(
      String type,
      String method,
      ElementMatcher<MethodDescription> signature,
      String adviceName,
      boolean isRequired) {
    static JoinPoint of(
        String type, String method, ElementMatcher<MethodDescription> signature, Class<?> advice) {
      return new JoinPoint(SERVER + type, method, signature, advice.getName(), true);
    }

    JoinPoint whereThereIsOne() {
      return new JoinPoint(type, method, signature, adviceName, false);
    }

    String place() {
      return type + "." + method;
    }

    ElementMatcher.Junction<MethodDescription> matcher() {
      return named(method).and(signature);
    }

    AgentBuilder.Transformer advice() {
      // By name, because inspecting the advice's own methods would load the class that is being
      // loaded.
      return new AgentBuilder.Transformer.ForAdvice()
          .withExceptionHandler(new Advice.ExceptionHandler.Simple(errorIsSuppressed()))
          .include(ServerWeaving.class.getClassLoader())
          .advice(matcher(), adviceName);
    }

    /** Calls {@link SuppressedErrors#add} with the error on the stack. */
    private StackManipulation errorIsSuppressed() {
      try {
        return new StackManipulation.Compound(
            new TextConstant(place()),
            MethodInvocation.invoke(
                new MethodDescription.ForLoadedMethod(
                    SuppressedErrors.class.getMethod("add", Throwable.class, String.class))));
      } catch (NoSuchMethodException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** A listener that reports classes that cannot be woven and are left unchanged. */
  private final class Complaints extends AgentBuilder.Listener.Adapter {
    @Override
    public void onError(
        String type,
        @Nullable ClassLoader loader,
        @Nullable JavaModule module,
        boolean loaded,
        Throwable e) {
      if (BY_TYPE.containsKey(type)) {
        untraced.add(type, e);
      }
    }
  }
}
