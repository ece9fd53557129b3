// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The integration with checkpoints of the whole process (CRaC, Lambda SnapStart). Every process
 * that is restored from an image is a separate incarnation.
 */
final class Checkpoints {
  /** The packages with the same API: a library, and the JDKs that have it built in. */
  private static final List<String> APIS = List.of("org.crac", "jdk.crac");

  private Checkpoints() {}

  /**
   * Registers the recorder for notifications of checkpoints, if one of the APIs is available.
   *
   * @return an object to keep as long as the recorder, because the API may hold it weakly; null
   *     without an API
   */
  static @Nullable Object register(Recorder recorder) {
    for (String api : APIS) {
      try {
        return register(api, recorder);
      } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
        // The API is missing or unusable.
      }
    }
    return null;
  }

  private static Object register(String api, Recorder recorder)
      throws ReflectiveOperationException {
    ClassLoader loader = Checkpoints.class.getClassLoader();
    Class<?> type = Class.forName(api + ".Resource", true, loader);
    Object resource =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer(self, method, arguments, recorder));
    Object context =
        Class.forName(api + ".Core", true, loader).getMethod("getGlobalContext").invoke(null);
    Class.forName(api + ".Context", true, loader)
        .getMethod("register", type)
        .invoke(context, resource);
    return resource;
  }

  private static @Nullable Object answer(
      Object self, Method method, Object @Nullable [] arguments, Recorder recorder) {
    return switch (method.getName()) {
      case "beforeCheckpoint" -> {
        recorder.suspend();
        yield null;
      }
      case "afterRestore" -> {
        recorder.restarted();
        yield null;
      }
      case "equals" -> arguments != null && self == arguments[0];
      case "hashCode" -> System.identityHashCode(self);
      default -> "a recorder of events";
    };
  }
}
