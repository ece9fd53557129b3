// SPDX-License-Identifier: Apache-2.0
package io.retroscope.mutation;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * The child process of {@link MutationTest}, which runs test methods and exits with a status for
 * their outcome.
 */
final class SelectedTests {
  static final int PASSED = 0;
  static final int FAILED = 10;
  static final int NONE_FOUND = 11;

  private SelectedTests() {}

  /**
   * Runs tests.
   *
   * @param args {@code <class>#<method>} each
   */
  public static void main(String[] args) {
    List<DiscoverySelector> selectors =
        Arrays.stream(args).flatMap(SelectedTests::methods).toList();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(LauncherDiscoveryRequestBuilder.request().selectors(selectors).build(), listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8), 5);
    boolean found = !selectors.isEmpty() && summary.getTestsFoundCount() >= args.length;
    System.exit(summary.getTotalFailureCount() > 0 ? FAILED : found ? PASSED : NONE_FOUND);
  }

  /** Methods of that name, with any parameters. */
  private static Stream<DiscoverySelector> methods(String test) {
    String[] names = test.split("#", 2);
    try {
      Class<?> type = Class.forName(names[0]);
      return Arrays.stream(type.getDeclaredMethods())
          .filter(method -> method.getName().equals(names[1]) && isTest(method))
          .map(method -> selectMethod(type, method));
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("no such test: " + test, e);
    }
  }

  private static boolean isTest(Method method) {
    return method.getReturnType() == void.class && !method.isSynthetic();
  }
}
