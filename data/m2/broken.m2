S She go to school by the bus every days .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 4 4|||M:PREP|||by|||REQUIRED|||-NONE-|||0

S I am agree with you about the new timetable .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Yesterday we visit the museum of modern art and see many interesting painting .
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0
A 8 8|||M:CONJ|||and|||REQUIRED|||-NONE-|||0
A 12 13|||R:MORPH|||paint|||REQUIRED|||-NONE-|||0

S My brother works in a small bakery near the station .
A 2 3|||R:MORPH|||work|||REQUIRED|||-NONE-|||0
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 8 8|||M:DET|||the|||REQUIRED|||-NONE-|||0

S The informations in this article is very usefull for my research .
A 5 6|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||0
A 8 9|||U:PREP||||||REQUIRED|||-NONE-|||0

S He enjoys to play chess with his grandfather in the evening .
A 3 4|||R:VERB:FORM|||playing|||REQUIRED|||-NONE-|||0
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||0
A 9 10|||U:DET||||||REQUIRED|||-NONE-|||0

S Sit down please !
A 0 4|||U:OTHER||||||REQUIRED|||-NONE-|||0

S Despite of the heavy rain , the football match was not cancel .
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||0
A 10 10|||M:ADV|||not|||REQUIRED|||-NONE-|||0

S If I will have enough money next year , I will travel to São Paulo with my cousin Zoë .
A 5 5|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 8 9|||U:PUNCT||||||REQUIRED|||-NONE-|||0
A 11 11|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||0
A 12 13|||R:PREP|||at|||REQUIRED|||-NONE-|||0
A 18 19|||U:NOUN||||||REQUIRED|||-NONE-|||0

S There is many reason why peoples prefer to live in the countryside .
A 7 8|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 9 10|||R:OTHER|||live|||REQUIRED|||-NONE-|||0
A 10 11|||U:DET||||||REQUIRED|||-NONE-|||0

S I have been living in Lisbon since five years .
A 2 3|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 6 6|||M:PREP|||since|||REQUIRED|||-NONE-|||0
A 8 9|||R:NOUN:NUM|||year|||REQUIRED|||-NONE-|||0

S The childrens was playing in garden when it start to snow .
A 3 5|||R:OTHER|||play|||REQUIRED|||-NONE-|||0
A 9 10|||U:PREP||||||REQUIRED|||-NONE-|||0

S The train leaves at half past seven , so we should get up early .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Can you explain me how does this machine works ?
A 2 2|||M:VERB|||explain|||REQUIRED|||-NONE-|||0
A 8 8|||M:NOUN|||work|||REQUIRED|||-NONE-|||0

S My favourite hobby is take photos of birds , specially in winter .
A 4 4|||M:VERB|||take|||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:NUM|||photo|||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN:NUM|||bird|||REQUIRED|||-NONE-|||0
A 10 11|||U:PREP||||||REQUIRED|||-NONE-|||0

S In my opinion , goverment should to spend more money for public transports instead of build new roads .
A 3 4|||U:PUNCT||||||REQUIRED|||-NONE-|||0
A 8 8|||M:ADV|||more|||REQUIRED|||-NONE-|||0
A 14 15|||U:PREP||||||REQUIRED|||-NONE-|||0
A 17 18|||R:NOUN:NUM|||road|||REQUIRED|||-NONE-|||0

S We discussed about the results with our supervisor last friday .
A 1 2|||R:VERB:TENSE|||discuss|||REQUIRED|||-NONE-|||0
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 4 5|||R:MORPH|||result|||REQUIRED|||-NONE-|||0

S This experiment show that the temperature effects the speed of reaction .
A 3 4|||R:OTHER|||the|||REQUIRED|||-NONE-|||0
A 7 8|||U:DET||||||REQUIRED|||-NONE-|||0
A 10 10|||M:NOUN|||reaction|||REQUIRED|||-NONE-|||0

S Very thanks .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I forgot my umbrella in the café , so I must to go back yesterday .
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 7|||U:NOUN||||||REQUIRED|||-NONE-|||0
A 11 11|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||0

S Although the hotel was expensive , the rooms were dark and noisy .
A 1 2|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 6|||M:CONJ|||but|||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN:NUM|||room|||REQUIRED|||-NONE-|||0
A 10 11|||U:CONJ||||||REQUIRED|||-NONE-|||0

S Everyone in my class have they own laptop .
A 1 2|||U:PREP||||||REQUIRED|||-NONE-|||0
A 4 4|||M:VERB:TENSE|||have|||REQUIRED|||-NONE-|||0

S I look forward to hear about your new job in the museum .
A 1 1|||M:VERB|||look|||REQUIRED|||-NONE-|||0
A 3 4|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||0

S The film was so bored that we left before it finish .
A 2 3|||U:VERB||||||REQUIRED|||-NONE-|||0
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0
A 9 10|||U:PRON||||||REQUIRED|||-NONE-|||0

S She asked me where do I come from and what is my job .
A 1 2|||R:VERB:TENSE|||ask|||REQUIRED|||-NONE-|||0
A 7 8|||U:PREP||||||REQUIRED|||-NONE-|||0
A 9 9|||M:PRON|||what|||REQUIRED|||-NONE-|||0
A 11 12|||U:DET||||||REQUIRED|||-NONE-|||0

S He drived very fastly on the motorway although the road was wet .
A 2 3|||U:ADV||||||REQUIRED|||-NONE-|||0
A 4 5|||R:PREP|||in|||REQUIRED|||-NONE-|||0
A 5 6|||U:DET||||||REQUIRED|||-NONE-|||0
A 9 9|||M:NOUN|||road|||REQUIRED|||-NONE-|||0

S I did n't knew that tomatos are fruits .
A 4 5|||U:PREP||||||REQUIRED|||-NONE-|||0
A 6 6|||M:VERB|||is|||REQUIRED|||-NONE-|||0

S Could you tell me where the nearest pharmacy is ?
A 3 4|||U:PRON||||||REQUIRED|||-NONE-|||0
A 5 5|||M:VERB|||is|||REQUIRED|||-NONE-|||0
A 5 6|||R:OTHER|||nearest|||REQUIRED|||-NONE-|||0
A 8 9|||U:VERB||||||REQUIRED|||-NONE-|||0

S The ticket costed only € 15 , but I loosed it before the concert .
A 5 6|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 10 10|||M:PRON|||it|||REQUIRED|||-NONE-|||0
A 12 13|||U:DET||||||REQUIRED|||-NONE-|||0

S My sister is more taller than me and she can runs faster too .
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0
A 9 9|||M:VERB:TENSE|||can|||REQUIRED|||-NONE-|||0
A 11 11|||M:ADV|||more|||REQUIRED|||-NONE-|||0

S It 's raining heavily , we should stay at home .
A 1 2|||U:CONTR||||||REQUIRED|||-NONE-|||0
A 8 9|||R:OTHER|||stay|||REQUIRED|||-NONE-|||0

S Nowadays , the most of young people can not imagine their life without the internet .
A 1 3|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 10 11|||R:OTHER|||life|||REQUIRED|||-NONE-|||0
A 13 14|||U:DET||||||REQUIRED|||-NONE-|||0

S I am living in a flat with two friend who studies medecine .
A 3 5|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 7 7|||M:OTHER|||two|||REQUIRED|||-NONE-|||0

S The book what you gave me is very interesting , I read it already two times .
A 5 6|||U:PRON||||||REQUIRED|||-NONE-|||0
A 8 8|||M:ADJ|||interesting|||REQUIRED|||-NONE-|||0
A 12 13|||U:PRON||||||REQUIRED|||-NONE-|||0
A 15 16|||R:NOUN:NUM|||time|||REQUIRED|||-NONE-|||0

S Nobody did n't answer when I knocked on the door .
A 3 4|||R:VERB:FORM|||answered|||REQUIRED|||-NONE-|||0
A 5 6|||U:PRON||||||REQUIRED|||-NONE-|||0
A 8 9|||U:DET||||||REQUIRED|||-NONE-|||0

S Scientists have found water under the surface of the planet .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Since I was a child I always wanted become a doctor .
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 5 6|||U:PRON||||||REQUIRED|||-NONE-|||0
A 9 10|||R:OTHER|||become|||REQUIRED|||-NONE-|||0

S In last decade , the number of elderly people have increased dramatic in many country , and this trend put a lot of pressures on hospitals , which needs more nurses and doctors than they had ten years before .
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 12 13|||U:PREP||||||REQUIRED|||-NONE-|||0
A 16 17|||U:CONJ||||||REQUIRED|||-NONE-|||0
A 21 21|||M:NOUN|||lot|||REQUIRED|||-NONE-|||0
A 24 25|||U:PREP||||||REQUIRED|||-NONE-|||0
A 30 31|||R:NOUN:NUM|||nurse|||REQUIRED|||-NONE-|||0
A 32 33|||R:NOUN:NUM|||doctor|||REQUIRED|||-NONE-|||0
A 34 35|||U:PRON||||||REQUIRED|||-NONE-|||0
A 37 38|||R:NOUN:NUM|||year|||REQUIRED|||-NONE-|||0

S He suggested me to apply for the scholarship .
A 3 4|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 5 6|||R:OTHER|||apply|||REQUIRED|||-NONE-|||0

S We was very tired after walk all day in the mountains .
A 0 12|||U:OTHER||||||REQUIRED|||-NONE-|||0

S She made a big mistake in her exam because she has not read the question careful .
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 5 7|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 13 14|||R:OTHER|||question|||REQUIRED|||-NONE-|||0

S The police is looking for a man which stole three bicycle from our street .
A 4 6|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 7 7|||M:DET|||which|||REQUIRED|||-NONE-|||0
A 11 12|||U:PREP||||||REQUIRED|||-NONE-|||0

S Please let me to know if you need some help with your luggages .
A 2 3|||U:PRON||||||REQUIRED|||-NONE-|||0
A 6 7|||R:OTHER|||need|||REQUIRED|||-NONE-|||0
A 10 11|||U:PREP||||||REQUIRED|||-NONE-|||0

S I think that learning a foreign language is a long process but worth .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 8 9|||R:OTHER|||is|||REQUIRED|||-NONE-|||0

S Our teacher speaks slowly and clearly .
A 2 3|||R:VERB:SVA|||speak|||REQUIRED|||-NONE-|||0
A 3 4|||R:ADV|||slow slow|||REQUIRED|||-NONE-|||0

S When he will arrive , we will start the meating .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S These kind of problem happens often in the big citys .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 6 7|||U:PREP||||||REQUIRED|||-NONE-|||0
A 7 8|||R:OTHER|||often|||REQUIRED|||-NONE-|||0

S i live in berlin , germany , with my parents and my too cats .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 7 7|||M:PREP|||with|||REQUIRED|||-NONE-|||0
A 9 10|||R:NOUN:NUM|||parent|||REQUIRED|||-NONE-|||0
A 11 12|||U:DET||||||REQUIRED|||-NONE-|||0

S The company has fired hundred of workers for save money .
A 3 4|||R:MORPH|||fire|||REQUIRED|||-NONE-|||0
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0
A 7 7|||M:PREP|||for|||REQUIRED|||-NONE-|||0

S He said me that he would call back , but he never did it .
A 2 3|||U:PRON||||||REQUIRED|||-NONE-|||0
A 4 5|||U:PRON||||||REQUIRED|||-NONE-|||0
A 7 7|||M:ADV|||back|||REQUIRED|||-NONE-|||0
A 10 11|||U:PRON||||||REQUIRED|||-NONE-|||0

S There was n't nothing interesting on television tonight .
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN|||television|||REQUIRED|||-NONE-|||0

S Zoë was late because her bus broke down on the bridge .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Most of scientists believe that the climate changes because of human activities such burning of coal .
A 4 6|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 9 10|||U:PREP||||||REQUIRED|||-NONE-|||0
A 11 11|||M:NOUN|||activities|||REQUIRED|||-NONE-|||0
A 14 15|||U:PREP||||||REQUIRED|||-NONE-|||0

S I have never saw such beautiful beach in my life .
A 7 9|||R:OTHER|||beach|||REQUIRED|||-NONE-|||0

S The students which fails the test must repeats the course .
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 6|||M:VERB:TENSE|||must|||REQUIRED|||-NONE-|||0
A 8 9|||U:DET||||||REQUIRED|||-NONE-|||0

S I am used to get up early becuase my work begin at six o'clock .
A 3 4|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 5 5|||M:PART|||up|||REQUIRED|||-NONE-|||0
A 8 9|||U:DET||||||REQUIRED|||-NONE-|||0
A 11 12|||U:PREP||||||REQUIRED|||-NONE-|||0
A 13 14|||U:NOUN||||||REQUIRED|||-NONE-|||0

S It depends of the weather if we go to the beach or no .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 3 4|||R:OTHER|||weather|||REQUIRED|||-NONE-|||0
A 8 10|||U:OTHER||||||REQUIRED|||-NONE-|||0

S My grandmother , who is eighty year old , still swim every morning .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I bought a new shoes yesterday but they are too small to me .
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 4 4|||M:NOUN|||shoes|||REQUIRED|||-NONE-|||0
A 6 7|||U:CONJ||||||REQUIRED|||-NONE-|||0
A 9 10|||U:ADV||||||REQUIRED|||-NONE-|||0
A 11 12|||U:PREP||||||REQUIRED|||-NONE-|||0

S Regular exercise reduces stress and helps us sleep better .
A 2 3|||R:VERB:TENSE|||reduce reduce|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:SVA|||help|||REQUIRED|||-NONE-|||0
A 8 9|||U:ADV||||||REQUIRED|||-NONE-|||0

S The teacher gave to us too many homeworks for weekend .
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||0
A 6 6|||M:ADJ|||many|||REQUIRED|||-NONE-|||0
A 8 9|||U:PREP||||||REQUIRED|||-NONE-|||0

S As long as I know , the library is close on sundays .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||0
A 8 9|||R:OTHER|||library|||REQUIRED|||-NONE-|||0

S He has a lot of experience , however he is not good in working with other people .
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 5 5|||M:NOUN|||experience|||REQUIRED|||-NONE-|||0
A 8 10|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 14 15|||U:PREP||||||REQUIRED|||-NONE-|||0

S What a pity that you ca n't to come to our party !
A 1 2|||U:DET||||||REQUIRED|||-NONE-|||0
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 9 10|||U:PREP||||||REQUIRED|||-NONE-|||0
A 11 11|||M:NOUN|||party|||REQUIRED|||-NONE-|||0

S The doctor advised him to stop smoke and make more sport .
A 3 5|||R:OTHER|||advised|||REQUIRED|||-NONE-|||0
A 9 10|||U:ADJ||||||REQUIRED|||-NONE-|||0

S I would like to know how much costs the course and when does it starts .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S During I was waiting for the bus , I met an old friend of mine .
A 2 3|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 4 6|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 8 8|||M:PRON|||I|||REQUIRED|||-NONE-|||0
A 10 11|||U:DET||||||REQUIRED|||-NONE-|||0
A 13 14|||U:PREP||||||REQUIRED|||-NONE-|||0

S Being honest is sometimes difficult , but it is always right .
A 2 3|||U:VERB||||||REQUIRED|||-NONE-|||0
A 4 4|||M:ADJ|||difficult|||REQUIRED|||-NONE-|||0
A 8 9|||U:VERB||||||REQUIRED|||-NONE-|||0

S The weather in my country is too much hot in the summer , so peoples stay inside of their house at noon .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 9 11|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 13 13|||M:CONJ|||so|||REQUIRED|||-NONE-|||0
A 17 19|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 20 21|||U:PREP||||||REQUIRED|||-NONE-|||0

S I want that you help me with this exercise .
A 5 8|||R:OTHER|||help|||REQUIRED|||-NONE-|||0

S Last summer I have worked as waiter in an Italian restaurant near of the harbour .
A 2 3|||U:PRON||||||REQUIRED|||-NONE-|||0
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0
A 8 9|||R:SPELL|||in|||REQUIRED|||-NONE-|||0
A 13 14|||U:DET||||||REQUIRED|||-NONE-|||0

S Thanks to it ’s low price , the phone sells very good .
A 1 2|||U:PREP||||||REQUIRED|||-NONE-|||0
A 5 5|||M:NOUN|||price|||REQUIRED|||-NONE-|||0
A 7 8|||U:DET||||||REQUIRED|||-NONE-|||0
A 10 11|||U:ADV||||||REQUIRED|||-NONE-|||0

S She is one of the best student in our university and she speak four language fluent .
A 3 5|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 10 11|||U:CONJ||||||REQUIRED|||-NONE-|||0
A 13 13|||M:OTHER|||four|||REQUIRED|||-NONE-|||0

S Neither my father or my mother speak English .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S If I was you , I would accepted the job offer .
A 1 2|||U:PRON||||||REQUIRED|||-NONE-|||0
A 6 6|||M:VERB:TENSE|||would|||REQUIRED|||-NONE-|||0
A 8 9|||U:DET||||||REQUIRED|||-NONE-|||0

S Is very important that we protect the natural environment for the next generation .
A 1 2|||U:ADV||||||REQUIRED|||-NONE-|||0
A 4 5|||U:PRON||||||REQUIRED|||-NONE-|||0
A 6 7|||R:OTHER|||natural|||REQUIRED|||-NONE-|||0
A 9 11|||U:OTHER||||||REQUIRED|||-NONE-|||0

S Nobody knows exactly how the fire started .
A 1 2|||R:VERB:SVA|||know|||REQUIRED|||-NONE-|||0
A 4 5|||R:OTHER|||how|||REQUIRED|||-NONE-|||0

S I usually eat a breakfast at seven , then I go to my work by foot .
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 5 6|||R:OTHER|||breakfast|||REQUIRED|||-NONE-|||0
A 9 10|||U:PRON||||||REQUIRED|||-NONE-|||0
A 11 12|||U:PREP||||||REQUIRED|||-NONE-|||0

S The new bridge was build last year and it conects the two part of the city .
A 3 4|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 7 8|||U:CONJ||||||REQUIRED|||-NONE-|||0
A 10 11|||R:DET|||two|||REQUIRED|||-NONE-|||0
A 13 15|||U:OTHER||||||REQUIRED|||-NONE-|||0

S How looks your new flat like ?
A 1 1|||M:VERB|||looks|||REQUIRED|||-NONE-|||0
A 3 4|||U:ADJ||||||REQUIRED|||-NONE-|||0
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0

S He could n't find his keys because he had putted them in wrong pocket .
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 7 8|||R:OTHER|||because|||REQUIRED|||-NONE-|||0
A 10 12|||U:OTHER||||||REQUIRED|||-NONE-|||0

S Many tourist come to our village for enjoy the silence and tasting the local wine .
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||0
A 6 6|||M:PREP|||for|||REQUIRED|||-NONE-|||0
A 8 9|||U:DET||||||REQUIRED|||-NONE-|||0
A 10 11|||U:CONJ||||||REQUIRED|||-NONE-|||0
A 12 13|||U:DET||||||REQUIRED|||-NONE-|||0

S The more you practise the violin , more better it sounds .
A 0 2|||U:DET|||More|||REQUIRED|||-NONE-|||0
A 4 5|||R:OTHER|||practise|||REQUIRED|||-NONE-|||0
A 9 10|||U:PRON||||||REQUIRED|||-NONE-|||0
A 10 11|||R:MORPH|||sound|||REQUIRED|||-NONE-|||0

S I do n't like neither coffee nor tea .
A 3 4|||U:VERB||||||REQUIRED|||-NONE-|||0
A 6 7|||R:OTHER|||coffee|||REQUIRED|||-NONE-|||0

S By the time we arrived at the airport , the plane had already left .
A 0 15|||U:OTHER||||||REQUIRED|||-NONE-|||0

S The meeting will take place in 12 May at 10 o'clock in the room 204 .
A 2 3|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 5 6|||U:PREP||||||REQUIRED|||-NONE-|||0
A 8 9|||R:OTHER|||May|||REQUIRED|||-NONE-|||0
A 10 11|||U:NOUN||||||REQUIRED|||-NONE-|||0
A 12 13|||U:DET||||||REQUIRED|||-NONE-|||0

S I have a good news : my paper was accept by the conference !
A 2 3|||R:OTHER|||good|||REQUIRED|||-NONE-|||0
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||0
A 10 12|||U:OTHER||||||REQUIRED|||-NONE-|||0

S Because the price of the gas rised again , so many family can not to heat their homes .
A 1 2|||U:DET||||||REQUIRED|||-NONE-|||0
A 4 5|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 6|||M:NOUN|||rised|||REQUIRED|||-NONE-|||0
A 16 17|||U:DET||||||REQUIRED|||-NONE-|||0
A 17 18|||R:MORPH|||home|||REQUIRED|||-NONE-|||0

S You should not to be so naïve , he only want your money .
A 4 5|||U:VERB||||||REQUIRED|||-NONE-|||0
A 6 7|||U:ADJ||||||REQUIRED|||-NONE-|||0
A 11 12|||R:OTHER|||want|||REQUIRED|||-NONE-|||0

S I ’m sorry for to be late , but I missed my train .
A 3 5|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 6 6|||M:ADV|||late|||REQUIRED|||-NONE-|||0
A 9 10|||U:PRON||||||REQUIRED|||-NONE-|||0
A 11 12|||U:DET||||||REQUIRED|||-NONE-|||0

S When I was young , I use to spend all my holydays at my uncle house , where he teached me to fish , to cook and to repair bicycle .
A 2 3|||U:VERB||||||REQUIRED|||-NONE-|||0
A 7 8|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 10 11|||U:DET||||||REQUIRED|||-NONE-|||0
A 18 19|||R:OTHER|||where|||REQUIRED|||-NONE-|||0
A 21 22|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 24 25|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 26 27|||U:CONJ||||||REQUIRED|||-NONE-|||0

S The most important thing in life it is to have friends in who you can trust .
A 4 5|||U:PREP||||||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:TENSE|||have|||REQUIRED|||-NONE-|||0
A 11 12|||U:PREP||||||REQUIRED|||-NONE-|||0
A 14 15|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0

S I have never eaten sushi , but I would love to try it .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Your welcome to stay in our house as long you want .
A 2 3|||R:VERB|||stay|||REQUIRED|||-NONE-|||0
A 4 5|||U:PREP||||||REQUIRED|||-NONE-|||0
A 7 8|||U:ADV||||||REQUIRED|||-NONE-|||0

S The reseachers asked to 200 teenager how many time they spend on they phones , and surprisingly the answers was very differents between boys and girls .
A 4 5|||U:OTHER||||||REQUIRED|||-NONE-|||0
A 7 7|||M:ADJ|||many|||REQUIRED|||-NONE-|||0
A 11 12|||U:PREP||||||REQUIRED|||-NONE-|||0
A 15 16|||U:CONJ||||||REQUIRED|||-NONE-|||0
A 17 18|||U:DET||||||REQUIRED|||-NONE-|||0
A 20 21|||U:ADV||||||REQUIRED|||-NONE-|||0
A 22 23|||U:PREP||||||REQUIRED|||-NONE-|||0

S Finally , I want to say that internet gave us many advantages , but we must to learn use it with responsability .
A 4 5|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 6 7|||U:PREP||||||REQUIRED|||-NONE-|||0
A 9 10|||U:PRON||||||REQUIRED|||-NONE-|||0
A 11 11|||M:NOUN|||advantages|||REQUIRED|||-NONE-|||0
A 13 14|||U:CONJ||||||REQUIRED|||-NONE-|||0
A 19 20|||U:PRON||||||REQUIRED|||-NONE-|||0

