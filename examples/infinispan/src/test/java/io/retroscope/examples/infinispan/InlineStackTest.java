// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.instrumentation.jgroups.HlcProtocol;
import java.nio.file.Files;
import java.nio.file.Path;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.remoting.transport.jgroups.JGroupsChannelConfigurator;
import org.jgroups.JChannel;
import org.jgroups.protocols.TCP;
import org.jgroups.stack.Protocol;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A stack within the configuration of Infinispan, which is what Keycloak reads. */
final class InlineStackTest {
  private static final Path PAGE = Path.of("../../instrumentation/jgroups/README.md");

  @Test
  @Tag("slow")
  void stackOfThePage_hasTheProtocolAboveTheTransport() throws Exception {
    String page = Files.readString(PAGE);
    String stack = page.substring(page.indexOf("<jgroups>"), page.indexOf("<cache-container"));
    GlobalConfiguration configuration =
        new ParserRegistry()
            .parse(
                "<infinispan>"
                    + stack
                    + "<cache-container><transport stack='traced'/></cache-container></infinispan>")
            .getGlobalConfigurationBuilder()
            .build();
    JGroupsChannelConfigurator traced = configuration.transport().jgroups().configurator("traced");
    try (JChannel channel = traced.createChannel("test")) {
      Protocol transport = channel.getProtocolStack().getTransport();
      Protocol above = transport.getUpProtocol();
      assertThat(transport).isInstanceOf(TCP.class);
      assertThat(above).isInstanceOf(HlcProtocol.class);
    }
  }
}
