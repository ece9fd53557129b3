// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.memory.OverBudgetException;

/** A problem that is the answer to a request. */
final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String json;

  private ProblemException(int status, String json) {
    super(json, null, false, false);
    this.status = status;
    this.json = json;
  }

  static ProblemException of(int status, String title, String detail) {
    return new ProblemException(status, ProblemJson.text(status, title, detail));
  }

  static ProblemException of(OverBudgetException e) {
    String detail = String.valueOf(e.getMessage());
    return e.isLasting()
        ? of(413, "The request is too large", detail)
        : of(503, "The server is busy", detail);
  }

  int status() {
    return status;
  }

  String json() {
    return json;
  }
}
