// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import java.net.URI;

/** Another server of the cluster evaluates the alerts. */
public final class AlertsElsewhereException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final URI server;

  /** Creates an exception that names the server. */
  public AlertsElsewhereException(URI server) {
    super("the alerts of this cluster are evaluated at " + server);
    this.server = server;
  }

  /** The server that evaluates them. */
  public URI server() {
    return server;
  }
}
