// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.web.reactive.function.client.WebClient;

/** A post-processor that adds the filter to the application's {@code WebClient.Builder} beans. */
final class StampedWebClients implements BeanPostProcessor {
  private final HlcExchangeFilter filter;

  StampedWebClients(HlcExchangeFilter filter) {
    this.filter = filter;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof WebClient.Builder builder) {
      var unused = builder.filter(filter);
    }
    return bean;
  }
}
