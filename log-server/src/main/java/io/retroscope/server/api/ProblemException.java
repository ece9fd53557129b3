package io.retroscope.server.api;

import io.retroscope.rql.json.ProblemJson;

/** A request is answered with a problem instead of what it asked for. */
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

  int status() {
    return status;
  }

  String json() {
    return json;
  }
}
