S She go to school by the bus every days .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I am agree with you about the new timetable .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Yesterday we visit the museum of modern art and see many interesting painting .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S My brother works in a small bakery near the station .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The informations in this article is very usefull for my research .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S He enjoys to play chess with his grandfather in the evening .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Sit down please !
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Despite of the heavy rain , the football match was not cancel .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S If I will have enough money next year , I will travel to São Paulo with my cousin Zoë .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S There is many reason why peoples prefer to live in the countryside .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I have been living in Lisbon since five years .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The childrens was playing in garden when it start to snow .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The train leaves at half past seven , so we should get up early .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Can you explain me how does this machine works ?
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S My favourite hobby is take photos of birds , specially in winter .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S In my opinion , goverment should to spend more money for public transports instead of build new roads .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S We discussed about the results with our supervisor last friday .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S This experiment show that the temperature effects the speed of reaction .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Very thanks .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I forgot my umbrella in the café , so I must to go back yesterday .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Although the hotel was expensive , the rooms were dark and noisy .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Everyone in my class have they own laptop .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I look forward to hear about your new job in the museum .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The film was so bored that we left before it finish .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S She asked me where do I come from and what is my job .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S He drived very fastly on the motorway although the road was wet .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I did n't knew that tomatos are fruits .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Could you tell me where the nearest pharmacy is ?
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The ticket costed only € 15 , but I loosed it before the concert .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S My sister is more taller than me and she can runs faster too .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S It 's raining heavily , we should stay at home .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Nowadays , the most of young people can not imagine their life without the internet .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I am living in a flat with two friend who studies medecine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The book what you gave me is very interesting , I read it already two times .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Nobody did n't answer when I knocked on the door .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Scientists have found water under the surface of the planet .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Since I was a child I always wanted become a doctor .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S In last decade , the number of elderly people have increased dramatic in many country , and this trend put a lot of pressures on hospitals , which needs more nurses and doctors than they had ten years before .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S He suggested me to apply for the scholarship .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S We was very tired after walk all day in the mountains .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S She made a big mistake in her exam because she has not read the question careful .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The police is looking for a man which stole three bicycle from our street .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Please let me to know if you need some help with your luggages .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I think that learning a foreign language is a long process but worth .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Our teacher speaks slowly and clearly .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S When he will arrive , we will start the meating .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S These kind of problem happens often in the big citys .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S i live in berlin , germany , with my parents and my too cats .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The company has fired hundred of workers for save money .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S He said me that he would call back , but he never did it .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S There was n't nothing interesting on television tonight .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Zoë was late because her bus broke down on the bridge .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Most of scientists believe that the climate changes because of human activities such burning of coal .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I have never saw such beautiful beach in my life .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The students which fails the test must repeats the course .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I am used to get up early becuase my work begin at six o'clock .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S It depends of the weather if we go to the beach or no .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S My grandmother , who is eighty year old , still swim every morning .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I bought a new shoes yesterday but they are too small to me .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Regular exercise reduces stress and helps us sleep better .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The teacher gave to us too many homeworks for weekend .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S As long as I know , the library is close on sundays .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S He has a lot of experience , however he is not good in working with other people .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S What a pity that you ca n't to come to our party !
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The doctor advised him to stop smoke and make more sport .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I would like to know how much costs the course and when does it starts .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S During I was waiting for the bus , I met an old friend of mine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Being honest is sometimes difficult , but it is always right .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The weather in my country is too much hot in the summer , so peoples stay inside of their house at noon .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I want that you help me with this exercise .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Last summer I have worked as waiter in an Italian restaurant near of the harbour .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Thanks to it ’s low price , the phone sells very good .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S She is one of the best student in our university and she speak four language fluent .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Neither my father or my mother speak English .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S If I was you , I would accepted the job offer .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Is very important that we protect the natural environment for the next generation .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Nobody knows exactly how the fire started .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I usually eat a breakfast at seven , then I go to my work by foot .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The new bridge was build last year and it conects the two part of the city .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S How looks your new flat like ?
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S He could n't find his keys because he had putted them in wrong pocket .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Many tourist come to our village for enjoy the silence and tasting the local wine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The more you practise the violin , more better it sounds .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I do n't like neither coffee nor tea .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S By the time we arrived at the airport , the plane had already left .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The meeting will take place in 12 May at 10 o'clock in the room 204 .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I have a good news : my paper was accept by the conference !
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Because the price of the gas rised again , so many family can not to heat their homes .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S You should not to be so naïve , he only want your money .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I ’m sorry for to be late , but I missed my train .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S When I was young , I use to spend all my holydays at my uncle house , where he teached me to fish , to cook and to repair bicycle .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The most important thing in life it is to have friends in who you can trust .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I have never eaten sushi , but I would love to try it .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Your welcome to stay in our house as long you want .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S The reseachers asked to 200 teenager how many time they spend on they phones , and surprisingly the answers was very differents between boys and girls .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Finally , I want to say that internet gave us many advantages , but we must to learn use it with responsability .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

