// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that names the node of text logs, for commands without a filter of nodes. */
public final class NodeNameOption {
  @Option(names = "--node", paramLabel = "NAME", description = "Text logs: the node of all files.")
  private Optional<String> node = Optional.empty();

  /** The node's name. */
  public Optional<String> node() {
    return node;
  }
}
