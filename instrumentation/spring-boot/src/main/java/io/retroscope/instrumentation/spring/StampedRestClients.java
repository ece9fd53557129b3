// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/**
 * A post-processor that adds the interceptor to the application's {@code RestClient.Builder} and
 * {@code RestTemplate} beans. The customizers that Spring Boot offers for this have other names in
 * each of its versions.
 */
final class StampedRestClients implements BeanPostProcessor {
  private final HlcRequestInterceptor interceptor;

  StampedRestClients(HlcRequestInterceptor interceptor) {
    this.interceptor = interceptor;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof RestClient.Builder builder) {
      var unused = builder.requestInterceptor(interceptor);
    } else if (bean instanceof RestTemplate template) {
      template.getInterceptors().add(interceptor);
    }
    return bean;
  }
}
