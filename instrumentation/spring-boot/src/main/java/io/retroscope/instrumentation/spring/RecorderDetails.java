// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import io.retroscope.recorder.Recorder;
import io.retroscope.recorder.RecorderHealth;
import io.retroscope.recorder.RecorderHealth.Status;
import java.util.Map;

/**
 * The health of a recorder in the terms of Spring Boot.
 *
 * @param status UP, or UNKNOWN if nothing is recorded: never DOWN, because a service that is not
 *     traced serves requests as well as before and must keep its traffic
 * @param details the node and the reasons
 */
record RecorderDetails(String status, Map<String, Object> details) {
  static RecorderDetails of(Recorder recorder) {
    RecorderHealth health = recorder.health();
    return new RecorderDetails(
        health.status() == Status.NOT_RECORDING ? "UNKNOWN" : "UP",
        Map.of("node", recorder.node(), "recorder", health.toString()));
  }
}
