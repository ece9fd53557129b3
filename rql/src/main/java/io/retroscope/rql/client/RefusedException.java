// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.ProblemJson;

/** The failure of a request that a server refused with a problem document. */
final class RefusedException extends ProblemException {
  private static final long serialVersionUID = 1;

  private final transient StructValue problem;

  RefusedException(String reason, StructValue problem) {
    super(reason, ProblemJson.isOfStatement(problem));
    this.problem = problem;
  }

  /** The document, as described in {@code ProblemJson}. */
  StructValue problem() {
    return problem;
  }
}
