// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The results of test classes that are run inside of a test, with the version on its class path.
 */
final class LaunchedTests implements TestExecutionListener {
  private final Map<String, TestExecutionResult> results = new LinkedHashMap<>();
  private final List<String> entries = new ArrayList<>();

  private LaunchedTests() {}

  /** Runs classes; recorded files are written to a folder. */
  static LaunchedTests of(Path folder, Class<?>... types) {
    return of(folder, Map.of(), types);
  }

  static LaunchedTests of(Path folder, Map<String, String> parameters, Class<?>... types) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(types).map(DiscoverySelectors::selectClass).toList())
            .configurationParameter(ClusterExtension.DIRECTORY, folder.toString())
            .configurationParameter(ClusterExtension.RUN, "")
            .configurationParameters(parameters)
            .build();
    LaunchedTests launched = new LaunchedTests();
    LauncherFactory.create().execute(request, launched);
    assertThat(launched.results).isNotEmpty();
    return launched;
  }

  @Override
  public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest() || result.getStatus() == Status.FAILED) {
      results.put(test.getDisplayName(), result);
    }
  }

  @Override
  public synchronized void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
    entries.add(entry.getKeyValuePairs().get("retroscope"));
  }

  /** The results of all tests, by their display names. */
  Map<String, TestExecutionResult> results() {
    return results;
  }

  /** The outcome of the test of a method. */
  TestExecutionResult result(String method) {
    return results.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(method + "("))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + method + " in " + results.keySet()))
        .getValue();
  }

  /** The message of a test that failed. */
  String failure(String method) {
    TestExecutionResult result = result(method);
    assertThat(result.getStatus()).as(method).isEqualTo(Status.FAILED);
    return String.valueOf(result.getThrowable().orElseThrow().getMessage());
  }

  void assertPassed(String method) {
    assertThat(result(method))
        .extracting(TestExecutionResult::getStatus)
        .as("%s: %s", method, result(method).getThrowable())
        .isEqualTo(Status.SUCCESSFUL);
  }

  /** What the extension reported. */
  List<String> entries() {
    return entries;
  }
}
